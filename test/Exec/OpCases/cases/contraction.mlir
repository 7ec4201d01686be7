// Ops that combine along dimensions.
func.func @dot(%a: tensor<6x5xf32>, %b: tensor<5x7xf32>) -> tensor<6x7xf32> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x7xf32>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}
func.func @dot_batch(%a: tensor<6x5x3xf32>, %b: tensor<6x3x7xf32>) -> tensor<6x5x7xf32> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x5x3xf32>, tensor<6x3x7xf32>) -> tensor<6x5x7xf32>
  return %0 : tensor<6x5x7xf32>
}
func.func @dot_two(%a: tensor<6x5x3xf32>, %b: tensor<6x5x7xf32>) -> tensor<3x7xf32> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 1] : (tensor<6x5x3xf32>, tensor<6x5x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
func.func @dot_bf16(%a: tensor<6x5xbf16>, %b: tensor<5x7xbf16>) -> tensor<6x7xf32> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x5xbf16>, tensor<5x7xbf16>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}
func.func @reduce_add(%a: tensor<6x5x7xf32>) -> tensor<5xf32> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<6x5x7xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @reduce_add_init(%a: tensor<6x5xf32>, %z: tensor<f32>) -> tensor<5xf32> attributes {op = "stablehlo.reduce"} {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @reduce_max(%a: tensor<6x5xf32>) -> tensor<6xf32> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @reduce_min_i32(%a: tensor<6x5xi32>) -> tensor<i32> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<2147483647> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<6x5xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @reduce_multiply(%a: tensor<6x5xf32>) -> tensor<6xf32> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @reduce_and(%a: tensor<6x5xi1>) -> tensor<5xi1> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.and across dimensions = [0] : (tensor<6x5xi1>, tensor<i1>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
func.func @reduce_or(%a: tensor<6x5xi1>) -> tensor<6xi1> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.or across dimensions = [1] : (tensor<6x5xi1>, tensor<i1>) -> tensor<6xi1>
  return %0 : tensor<6xi1>
}
// The mean of an unevenly split axis: its sum over the global count.
func.func @mean(%a: tensor<5xf32>) -> tensor<f32> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<5.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.divide %s, %n : tensor<f32>
  return %0 : tensor<f32>
}
// A maximum that is used by every shard again, as in softmax.
func.func @softmax(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.reduce"} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
  %d = stablehlo.subtract %a, %mb : tensor<6x5xf32>
  %e = stablehlo.exponential %d : tensor<6x5xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
  %0 = stablehlo.divide %e, %sb : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// As JAX writes argmax: partial choices of the shards are chosen from again.
func.func @argmax(%a: tensor<7x6xf32>) -> (tensor<6xf32>, tensor<6xi32>) attributes {op = "stablehlo.reduce"} {
  %i = stablehlo.iota dim = 0 : tensor<7x6xi32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [0] : (tensor<7x6xf32>, tensor<7x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %g = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %o = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b = stablehlo.and %e, %l : tensor<i1>
      %c = stablehlo.or %o, %b : tensor<i1>
      %v = stablehlo.select %o, %x, %y : tensor<i1>, tensor<f32>
      %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xi32>
}
func.func @argmin_all(%a: tensor<5x6xi32>, %i: tensor<5x6xi32>) -> (tensor<i32>, tensor<i32>) attributes {op = "stablehlo.reduce"} {
  %m = stablehlo.constant dense<2147483647> : tensor<i32>
  %z = stablehlo.constant dense<2147483647> : tensor<i32>
  %r:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [0, 1] : (tensor<5x6xi32>, tensor<5x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    reducer(%x: tensor<i32>, %y: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %g = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %e = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b = stablehlo.and %e, %l : tensor<i1>
      %c = stablehlo.or %g, %b : tensor<i1>
      %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<i32>
      %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<i32>, tensor<i32>
}
