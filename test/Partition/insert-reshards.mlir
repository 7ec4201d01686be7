// RUN: partopt-opt %s --partopt-insert-reshards --split-input-file | FileCheck %s

// A contraction over the split batch leaves a sum unreduced; it passes the
// transposition and the scaling and is combined once, at the smallest value.
sdy.mesh @mesh = <["data"=4]>
// CHECK-LABEL: @gradient
func.func @gradient(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                    %dy: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  // CHECK: %[[DW:.+]] = stablehlo.dot_general {{.*}} unreduced={"data"}
  %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  // CHECK-NOT: sdy.reshard
  // CHECK: stablehlo.transpose %[[DW]], {{.*}} unreduced={"data"}
  %t = stablehlo.transpose %dw, dims = [1, 0] : (tensor<16x4xf32>) -> tensor<4x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SUM:.+]] = stablehlo.reduce{{.*}}unreduced={"data"}
  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[REDUCED:.+]] = sdy.reshard %[[SUM]] <@mesh, [{}]>
  // CHECK: return %[[REDUCED]]
  return %s : tensor<4xf32>
}

// -----

// Two uses that are not linear share one reduction.
sdy.mesh @mesh = <["data"=4]>
// CHECK-LABEL: @shared
func.func @shared(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SUM:.+]] = stablehlo.reduce
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  // CHECK: %[[REDUCED:.+]] = sdy.reshard %[[SUM]]
  // CHECK-NOT: sdy.reshard
  // CHECK: stablehlo.exponential %[[REDUCED]]
  %e = stablehlo.exponential %s : tensor<16xf32>
  // CHECK: stablehlo.multiply %[[REDUCED]], %[[REDUCED]]
  %m = stablehlo.multiply %s, %s : tensor<16xf32>
  return %e, %m : tensor<16xf32>, tensor<16xf32>
}

// -----

// A maximum is combined by the maximum, and does not pass a subtraction.
sdy.mesh @mesh = <["model"=4]>
// CHECK-LABEL: @softmax_max
func.func @softmax_max(%x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[MAX:.+]] = stablehlo.reduce{{.*}}unreduced=max{"model"}
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  // CHECK: %[[REDUCED:.+]] = sdy.reshard %[[MAX]] <@mesh, [{}]>
  // CHECK: stablehlo.subtract %[[REDUCED]]
  %s = stablehlo.subtract %m, %one : tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----

// A narrower type rounds each part: the sum is combined before the convert.
sdy.mesh @mesh = <["data"=2]>
// CHECK-LABEL: @narrowing
func.func @narrowing(%x: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x64xf32>, tensor<f32>) -> tensor<64xf32>
  // CHECK: %[[REDUCED:.+]] = sdy.reshard
  // CHECK: stablehlo.convert %[[REDUCED]]
  %c = stablehlo.convert %s : (tensor<64xf32>) -> tensor<64xbf16>
  return %c : tensor<64xbf16>
}

// -----

// Two partial gradients of one parameter are added first and combined once.
sdy.mesh @mesh = <["data"=2]>
// CHECK-LABEL: @tied
func.func @tied(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = stablehlo.exponential %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<8x4xf32>
  %b = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[SUM:.+]] = stablehlo.add {{.*}}unreduced={"data"}
  // CHECK-NEXT: sdy.reshard %[[SUM]]
  %s = stablehlo.add %a, %b : tensor<4xf32>
  return %s : tensor<4xf32>
}
