// RUN: partopt-opt %s --partopt-apply-tensor-parallel="sequence" | FileCheck %s
// RUN: partopt-opt %s --partopt-apply-tensor-parallel | FileCheck %s --check-prefix=TP

sdy.mesh @mesh = <["model"=4]>

// The sum that the row split leaves becomes parts of the sequence, after it is
// added to another such sum; the column split's result has the axis itself, and its
// input the whole sequence.
// CHECK-LABEL: @main
// CHECK: %[[WHOLE:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{?}, {?}, {?}], replicated={"model"}> : tensor<4x32x128xf32>
// CHECK: %[[UP:.*]] = stablehlo.dot_general %[[WHOLE]], %arg1
// CHECK: sdy.sharding_constraint %[[UP]] <@mesh, [{?}, {?}, {"model", ?}]> : tensor<4x32x512xf32>
// CHECK: %[[ONE:.*]] = stablehlo.dot_general {{.*}} %arg2
// CHECK-NEXT: %[[TWO:.*]] = stablehlo.dot_general {{.*}} %arg3
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[ONE]], %[[TWO]]
// CHECK-NEXT: %[[PARTS:.*]] = sdy.sharding_constraint %[[SUM]] <@mesh, [{?}, {"model", ?}, {?}]> : tensor<4x32x128xf32>
// CHECK-NEXT: stablehlo.add %[[PARTS]], %arg0
// TP-NOT: sharding_constraint
func.func @main(%x: tensor<4x32x128xf32> {partopt.role = "batch"},
                %up: tensor<128x512xf32> {partopt.role = "param"},
                %down: tensor<512x128xf32> {partopt.role = "param"},
                %side: tensor<512x128xf32> {partopt.role = "param"}) -> tensor<4x32x128xf32> {
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [2] x [0] : (tensor<4x32x128xf32>, tensor<128x512xf32>) -> tensor<4x32x512xf32>
  %1 = stablehlo.tanh %0 : tensor<4x32x512xf32>
  %2 = stablehlo.dot_general %1, %down, contracting_dims = [2] x [0] : (tensor<4x32x512xf32>, tensor<512x128xf32>) -> tensor<4x32x128xf32>
  %3 = stablehlo.dot_general %1, %side, contracting_dims = [2] x [0] : (tensor<4x32x512xf32>, tensor<512x128xf32>) -> tensor<4x32x128xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x32x128xf32>
  %5 = stablehlo.add %4, %x : tensor<4x32x128xf32>
  return %5 : tensor<4x32x128xf32>
}
