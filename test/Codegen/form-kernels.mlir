// RUN: partopt-opt --partopt-form-kernels --split-input-file %s | FileCheck %s

// A chain of pointwise ops is one kernel on one dimension; the constant is
// computed inside.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>
// CHECK-NEXT:    %[[FLAT:.+]] = stablehlo.reshape %[[X]] : (tensor<4x8xf32>) -> tensor<32xf32>
// CHECK-NEXT:    %[[CALL:.+]] = call @[[KERNEL:.+]](%[[FLAT]]) : (tensor<32xf32>) -> tensor<32xf32>
// CHECK-NEXT:    %[[OUT:.+]] = stablehlo.reshape %[[CALL]]
// CHECK-NEXT:    return %[[OUT]]
// CHECK:       func.func private @[[KERNEL]](%{{.+}}: tensor<32xf32>) -> tensor<32xf32> attributes {partopt.kernel}
// CHECK:         stablehlo.add
// CHECK-NEXT:    stablehlo.tanh
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  %0 = stablehlo.add %x, %c : tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Kernels with equal bodies are one function, whatever their shapes were.
// CHECK-LABEL: func.func @shared
// CHECK-DAG:     call @[[KERNEL:.+]](%{{.+}}, %{{.+}}) : (tensor<32xf32>, tensor<32xf32>)
// CHECK-DAG:     call @[[KERNEL]](%{{.+}}, %{{.+}}) : (tensor<32xf32>, tensor<32xf32>)
// CHECK-COUNT-1: partopt.kernel
// CHECK-NOT:     partopt.kernel
func.func @shared(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %q: tensor<2x16xf32>, %h: tensor<2x16xf32>)
    -> (tensor<4x8xf32>, tensor<2x16xf32>) {
  %0 = stablehlo.subtract %p, %g : tensor<4x8xf32>
  %1 = stablehlo.subtract %q, %h : tensor<2x16xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<2x16xf32>
}

// -----

// Reductions over rows and what follows in the row are one kernel.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: call @
// CHECK-NOT:     call @
// CHECK:         return
func.func @softmax(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x32xf32>
  %e = stablehlo.exponential %d : tensor<64x32xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// A value that waits for all rows starts a kernel of its own; the sum of the
// columns is computed once.
// CHECK-LABEL: func.func @columns
// CHECK:         %[[SUM:.+]] = call @{{.+}}(%{{.+}}) : (tensor<64x32xf32>) -> tensor<32xf32>
// CHECK:         call @{{.+}}(%[[SUM]], %{{.+}})
func.func @columns(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %r = stablehlo.subtract %x, %b : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// Several dimensions become one by views; an operand that is stored the other
// way round costs nothing.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[X:.+]]: tensor<8x16x32xf32>, %[[W:.+]]: tensor<4x8x32xf32>
// CHECK-DAG:     %[[ROWS:.+]] = stablehlo.reshape %[[X]] : (tensor<8x16x32xf32>) -> tensor<128x32xf32>
// CHECK-DAG:     %[[COLUMNS:.+]] = stablehlo.reshape %[[W]] : (tensor<4x8x32xf32>) -> tensor<32x32xf32>
// CHECK:         %[[DOT:.+]] = stablehlo.dot_general %[[ROWS]], %[[COLUMNS]], contracting_dims = [1] x [1] : (tensor<128x32xf32>, tensor<32x32xf32>) -> tensor<128x32xf32>
// CHECK:         stablehlo.reshape %[[DOT]]
// CHECK-NOT:     call
func.func @product(%x: tensor<8x16x32xf32>, %w: tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [2] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
  return %0 : tensor<8x16x4x8xf32>
}

// -----

// A product that is only read transposed is computed the other way round.
// CHECK-LABEL: func.func @transposed_product
// CHECK-SAME:    %[[X:.+]]: tensor<32x8xf32>, %[[Y:.+]]: tensor<32x16xf32>
// CHECK-NEXT:    %[[DOT:.+]] = stablehlo.dot_general %[[Y]], %[[X]], contracting_dims = [0] x [0] : (tensor<32x16xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT:    return %[[DOT]]
func.func @transposed_product(%x: tensor<32x8xf32>, %y: tensor<32x16xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<32x8xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// bf16 is multiplied in f32; the conversions are kernels.
// CHECK-LABEL: func.func @narrow_product
// CHECK:         stablehlo.dot_general {{.*}} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
// CHECK:         call @{{.+}} : (tensor<128xf32>) -> tensor<128xbf16>
func.func @narrow_product(%x: tensor<8x4xbf16>, %y: tensor<4x16xbf16>) -> tensor<8x16xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x16xbf16>) -> tensor<8x16xbf16>
  return %0 : tensor<8x16xbf16>
}

// -----

// A product of integers is a kernel.
// CHECK-LABEL: func.func @integer_product
// CHECK-NEXT:    call @[[KERNEL:[^(]+]]
// CHECK:       func.func private @[[KERNEL]]
// CHECK:         stablehlo.dot_general
func.func @integer_product(%x: tensor<8x4xi32>, %y: tensor<4x16xi32>) -> tensor<8x16xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xi32>, tensor<4x16xi32>) -> tensor<8x16xi32>
  return %0 : tensor<8x16xi32>
}

// -----

// Cheap values are computed again where they are read; only the expensive one
// is kept in memory across the product.
// CHECK-LABEL: func.func @kept
// CHECK:         %[[T:.+]] = call @{{.+}}(%{{.+}}) : (tensor<1024xf32>) -> tensor<1024xf32>
// CHECK:         stablehlo.dot_general
// CHECK:         call @{{.+}}(%{{.+}}, %{{.+}}) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
func.func @kept(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<32x32xf32>
  %t = stablehlo.tanh %x : tensor<32x32xf32>
  %t2 = stablehlo.multiply %t, %t : tensor<32x32xf32>
  %d = stablehlo.subtract %one, %t2 : tensor<32x32xf32>
  %y = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = stablehlo.multiply %y, %d : tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// -----

// Collectives keep their order; what is sent is a kernel's result, even when it
// is a constant.
// CHECK-LABEL: func.func @collectives
// CHECK:         comm.all_reduce {"x"=2} sum %{{.+}}
// CHECK:         %[[C:.+]] = call @{{.+}}() : () -> tensor<4xf32>
// CHECK:         comm.all_reduce {"x"=2} max %[[C]]
func.func @collectives(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = comm.all_reduce {"x"=2} sum %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = comm.all_reduce {"x"=2} max %c : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What changes no bit goes away: a factor of one, a sum over one element that
// starts at +0 and already holds such a sum.
// CHECK-LABEL: func.func @exact
// CHECK-NEXT:    %[[SUM:.+]] = call @{{.+}} : (tensor<64x32xf32>) -> tensor<32xf32>
// CHECK-NEXT:    return %[[SUM]]
func.func @exact(%x: tensor<64x32xf32>) -> tensor<32xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
  %r = stablehlo.reshape %s : (tensor<32xf32>) -> tensor<1x32xf32>
  %t = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
  %m = stablehlo.multiply %t, %one : tensor<32xf32>
  return %m : tensor<32xf32>
}

// -----

// What a collective brings is read by rows that several passes share.
// CHECK-LABEL: func.func @after_collective
// CHECK:         %[[X:.+]] = comm.all_reduce
// CHECK-NEXT:    call @{{.+}}(%[[X]])
// CHECK-NEXT:    return
func.func @after_collective(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = comm.all_reduce {"x"=2} sum %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %e = stablehlo.exponential %0 : tensor<64x32xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %r = stablehlo.divide %e, %b : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// What has no element is a constant, and what reads none is what it computes of
// nothing.
// CHECK-LABEL: func.func @empty
// CHECK:         return
// CHECK:       attributes {partopt.kernel}
// CHECK-NOT:     stablehlo.reduce
// CHECK-NOT:     stablehlo.concatenate
func.func @empty(%x: tensor<4x3xf32>, %nothing: tensor<0x3xf32>) -> (tensor<f32>, tensor<4x3xf32>, tensor<0x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%nothing init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<0x3xf32>, tensor<f32>) -> tensor<f32>
  %part = stablehlo.concatenate %x, %nothing, dim = 0 : (tensor<4x3xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %twice = stablehlo.add %part, %part : tensor<4x3xf32>
  %none = stablehlo.concatenate %nothing, %nothing, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  return %sum, %twice, %none : tensor<f32>, tensor<4x3xf32>, tensor<0x3xf32>
}
