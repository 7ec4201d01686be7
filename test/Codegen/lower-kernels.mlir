// RUN: partopt-opt --partopt-lower-kernels --split-input-file %s | FileCheck %s

// An elementwise chain has one loop nest and no temporary; a splat constant
// and its broadcast have no loop.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32>, %[[OUT:.+]]: memref<4x8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           scf.for %[[J:[^ ]+]] =
// CHECK:             %[[E:.+]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:             %[[ADD:.+]] = arith.addf %[[E]],
// CHECK:             %[[TANH:.+]] = math.tanh %[[ADD]]
// CHECK:             memref.store %[[TANH]], %[[OUT]][%[[I]], %[[J]]]
// CHECK-NOT:     scf.for
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.add %x, %b : tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Softmax: the three passes over a row share the loop over rows; the
// exponential is computed once and kept for one row only.
// CHECK-LABEL: func.func @softmax
// CHECK-DAG:     %[[ROW:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.maximumf
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             math.exp
// CHECK:             arith.addf {{.*}} fastmath<reassoc>
// CHECK:             memref.store {{.*}}, %[[ROW]]
// CHECK:           scf.for
// CHECK-NOT:         math.exp
// CHECK:             memref.load %[[ROW]]
// CHECK:             arith.divf
// CHECK:             memref.store
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %r = stablehlo.divide %e, %sb : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A padded tensor is written part by part, without a condition per element.
// CHECK-LABEL: func.func @pad
// CHECK-NOT:     arith.select
// CHECK:         scf.for
// CHECK-COUNT-3:   memref.store
// CHECK-NOT:     memref.store
func.func @pad(%x: tensor<4x8xf32>) -> tensor<4x12xf32> attributes {partopt.kernel} {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [0, 2], high = [0, 2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}

// -----

// A sum over the leading dimension walks memory in order and adds into the
// result's buffer.
// CHECK-LABEL: func.func @column_sums
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32>, %[[OUT:.+]]: memref<8xf32>
// CHECK:         memref.store %{{.*}}, %[[OUT]][%{{.+}}]
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           scf.for %[[J:[^ ]+]] =
// CHECK-DAG:         memref.load %[[OUT]][%[[J]]]
// CHECK-DAG:         memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:             arith.addf
// CHECK:             memref.store %{{.*}}, %[[OUT]][%[[J]]]
func.func @column_sums(%x: tensor<4x8xf32>) -> tensor<8xf32> attributes {partopt.kernel} {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A transpose reads tiles of eight vectors along the grain and turns them.
// CHECK-LABEL: func.func @transpose
// CHECK:         %[[TILE:.+]] = memref.alloca() {{.*}} : memref<8x8xf32>
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store {{.*}}, %[[TILE]]
// CHECK:         memref.load %[[TILE]]
func.func @transpose(%x: tensor<16x64xf32>) -> tensor<64x16xf32> attributes {partopt.kernel} {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
