// RUN: not partopt-opt %s '-partopt-assign-roles=roles=*=param' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not partopt-opt %s '-partopt-assign-roles=roles=x=weights' 2>&1 | FileCheck %s --check-prefix=ROLE
// RUN: not partopt-opt %s '-partopt-assign-roles=roles==param' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not partopt-opt %s '-partopt-assign-roles=roles=nothing=param' 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not partopt-opt %s '-partopt-assign-roles=roles=arg=param,w=opt' 2>&1 | FileCheck %s --check-prefix=TAKEN

// Overrides that say nothing, or say it of nothing.

// REGEX: error: --arg-role '*=param': '*' is not a regular expression: repetition-operator operand invalid
// ROLE: error: --arg-role 'x=weights': expected REGEX=ROLE with a role of param, opt, state, batch, rng or scalar
// EMPTY: error: --arg-role '=param': expected REGEX=ROLE
// UNUSED: error: --arg-role 'nothing=param' matches none of the 1 arguments of @main
// TAKEN: error: --arg-role 'w=opt' matches only arguments that 'arg=param' took before; a regular expression matches any part
func.func @main(%arg0: tensor<4xf32> loc("w")) {
  return
}
