// The exit contract of each phase, broken by hand: text that a user edited is
// the user's mistake, exit 2.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %exit 2 partopt compile import.mlir --compile-from import -o p 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: error: {{.*}}argument 0 has no 'partopt.role'
// RUN: for f in result type alias twice; do sed "/^\/\/ $f: /!d; s/^[^:]*: //" next.mlir > $f.mlir && %exit 2 partopt compile $f.mlir --compile-from import -o p || exit 1; done 2>&1 | FileCheck %s --check-prefix=NEXT
// NEXT: error: {{.*}}argument 0 has 'partopt.next_result' 7 : i32, which is neither the number of a result nor -1
// NEXT: error: {{.*}}argument 0 has 'partopt.next_result' 0 : i32, but is of type 'tensor<4xf32>' and the result of type 'tensor<f32>'
// NEXT: error: {{.*}}argument 0 has 'partopt.next_result' 0 : i32, but 'tf.aliasing_output' 1 : i32
// NEXT: error: {{.*}}argument 1 has 'partopt.next_result' 0 : i32, which is the next value of argument 0
// RUN: %exit 2 partopt compile propagate.mlir --compile-from propagate -o p 2>&1 | FileCheck %s --check-prefix=PROPAGATE
// PROPAGATE: error: {{.*}}a value of 'tensor<4xf32>' has no sharding after propagation
// RUN: %exit 2 partopt compile open.mlir --compile-from propagate -o p 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: {{.*}}is open after propagation
// RUN: %exit 2 partopt compile kernels.mlir --compile-from kernels -o p 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: error: {{.*}}'stablehlo.add' op is not part of the kernel form
// RUN: %exit 2 partopt compile product.mlir --compile-from kernels -o p 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: error: {{.*}}'stablehlo.dot_general' op is no product in BLAS form
// RUN: %exit 2 partopt compile call.mlir --compile-from kernels -o p 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: error: {{.*}}'func.call' op calls a function that is no kernel

//--- import.mlir
func.func public @main(%arg0: tensor<4xf32> {partopt.name = "x"}) -> (tensor<4xf32> {partopt.name = "y"}) {
  return %arg0 : tensor<4xf32>
}
//--- propagate.mlir
sdy.mesh @mesh = <["data"=2]>
func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
//--- open.mlir
sdy.mesh @mesh = <["data"=2]>
func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
//--- kernels.mlir
func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- product.mlir
func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
//--- call.mlir
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- next.mlir
// result: func.func public @main(%arg0: tensor<f32> {partopt.name = "x", partopt.role = "state", partopt.next_result = 7 : i32}) -> (tensor<f32> {partopt.name = "y"}) { return %arg0 : tensor<f32> }
// type: func.func public @main(%arg0: tensor<4xf32> {partopt.name = "x", partopt.role = "state", partopt.next_result = 0 : i32}, %arg1: tensor<f32> {partopt.name = "z", partopt.role = "scalar"}) -> (tensor<f32> {partopt.name = "y"}) { return %arg1 : tensor<f32> }
// alias: func.func public @main(%arg0: tensor<f32> {partopt.name = "x", partopt.role = "state", partopt.next_result = 0 : i32, tf.aliasing_output = 1 : i32}) -> (tensor<f32> {partopt.name = "y"}, tensor<f32> {partopt.name = "z"}) { return %arg0, %arg0 : tensor<f32>, tensor<f32> }
// twice: func.func public @main(%arg0: tensor<f32> {partopt.name = "x", partopt.role = "state", partopt.next_result = 0 : i32}, %arg1: tensor<f32> {partopt.name = "z", partopt.role = "state", partopt.next_result = 0 : i32}) -> (tensor<f32> {partopt.name = "y"}) { return %arg0 : tensor<f32> }
