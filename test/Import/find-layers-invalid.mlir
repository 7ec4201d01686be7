// RUN: not partopt-opt %s -partopt-assign-roles -partopt-find-layers='layers=nothing=a' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not partopt-opt %s -partopt-assign-roles -partopt-find-layers='layers=w' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not partopt-opt %s -partopt-assign-roles -partopt-find-layers='layers=*=a' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not partopt-opt %s -partopt-find-layers=entry=other 2>&1 | FileCheck %s --check-prefix=ENTRY

// NONE: error: --layer 'nothing=a' matches no parameter's name of @main; explain --section arguments shows them
// FORM: error: --layer 'w': expected REGEX=NAME
// REGEX: error: --layer '*=a': '*' is not a regular expression: repetition-operator operand invalid
// ENTRY: error: the module has no function @other with a body
func.func @main(%w: tensor<4xf32> loc("params['w']")) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
