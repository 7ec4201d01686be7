// One-hot rows of tokens times a table, and the classes that labels pick from.
func.func @main(%x: tensor<512xi32> {partopt.role = "batch"} loc("x"), %y: tensor<512xi32> {partopt.role = "batch"} loc("y"),
                %table: tensor<64x3xf32> {partopt.role = "param"} loc("table"),
                %head: tensor<3x32xf32> {partopt.role = "param"} loc("head")) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %words = stablehlo.iota dim = 1 : tensor<512x64xi32>
  %xs = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<512xi32>) -> tensor<512x64xi32>
  %is = stablehlo.compare EQ, %xs, %words, SIGNED : (tensor<512x64xi32>, tensor<512x64xi32>) -> tensor<512x64xi1>
  %rows = stablehlo.convert %is : (tensor<512x64xi1>) -> tensor<512x64xf32>
  %h = stablehlo.dot_general %rows, %table, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x3xf32>) -> tensor<512x3xf32>
  %t = stablehlo.tanh %h : tensor<512x3xf32>
  %logits = stablehlo.dot_general %t, %head, contracting_dims = [1] x [0] : (tensor<512x3xf32>, tensor<3x32xf32>) -> tensor<512x32xf32>
  %numbers = stablehlo.iota dim = 1 : tensor<512x32xi32>
  %ys = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<512xi32>) -> tensor<512x32xi32>
  %label = stablehlo.compare EQ, %ys, %numbers, SIGNED : (tensor<512x32xi32>, tensor<512x32xi32>) -> tensor<512x32xi1>
  %hot = stablehlo.convert %label : (tensor<512x32xi1>) -> tensor<512x32xf32>
  %picked = stablehlo.multiply %logits, %hot : tensor<512x32xf32>
  %sum = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x32xf32>, tensor<f32>) -> tensor<512xf32>
  return %sum : tensor<512xf32>
}
