// The op that a short reduction applies has the reduction's own location, and
// an alias that is defined at the end of the file reaches it.
// RUN: partopt-opt %s --mlir-print-op-generic --mlir-print-debuginfo | FileCheck %s

// CHECK: #[[LOC:.+]] = loc("model.py":3:5)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  // CHECK: "stablehlo.reduce"
  // CHECK-NEXT: ^bb0(%{{.+}}: tensor<f32> loc("model.py":3:5), %{{.+}}: tensor<f32> loc("model.py":3:5)):
  // CHECK-NEXT: "stablehlo.add"{{.*}} loc(#[[LOC]])
  // CHECK-NEXT: "stablehlo.return"{{.*}} loc(#[[LOC]])
  // CHECK-NEXT: }) : {{.*}} loc(#[[LOC]])
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32> loc(#loc)
  return %0 : tensor<f32>
}
#loc = loc("model.py":3:5)
