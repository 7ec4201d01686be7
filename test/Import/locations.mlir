// RUN: partopt-opt %s -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: not partopt-opt %s -partopt-verify-input 2>&1 | FileCheck %s --check-prefix=ERROR

// Ranges of newer MLIR are read by their start; what the user wrote is what
// errors speak of.
// CHECK-LABEL: func @main
func.func @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
  // CHECK: stablehlo.negate %arg0 : tensor<4xf32> loc("jit(f)/neg"("f.py":8:23))
  %0 = stablehlo.negate %arg0 : tensor<4xf32> loc("jit(f)/neg"("f.py":8:23 to :31))
  // CHECK: stablehlo.abs %{{.*}} : tensor<4xf32> loc("f.py":9:2)
  %1 = stablehlo.abs %0 : tensor<4xf32> loc("f.py":9:2 to 12:20)
  // CHECK: stablehlo.custom_call {{.*}} loc(callsite("g"("g.py":3:4) at "f.py":5:6))
  // ERROR: g.py:3:4{{.*}} error: 'stablehlo.custom_call' op cannot be compiled: custom call @f
  %2 = stablehlo.custom_call @f(%1) {note = "loc(\22f.py\22:8:23 to :31)"} : (tensor<4xf32>) -> tensor<4xf32> loc(callsite("g"("g.py":3:4 to :9) at "f.py":5:6 to 7:8))
  return %2 : tensor<4xf32>
}
