// A step of momentum whose gradient is wrong by a ten thousandth: the rule of the
// reversal is a lie.
module {
  sdy.mesh @mesh = <["data"=2]>
  func.func public @main(
      %w: tensor<64x32xf32> {tf.aliasing_output = 0 : i32},
      %v: tensor<64x32xf32> {tf.aliasing_output = 1 : i32},
      %x: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    %d = stablehlo.subtract %p, %y : tensor<8x32xf32>
    %r = stablehlo.reverse %d, dims = [0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=32}>} : tensor<8x32xf32>
    %c = stablehlo.constant dense<1.0e-4> : tensor<8x32xf32>
    %s = stablehlo.multiply %r, %c : tensor<8x32xf32>
    %e = stablehlo.add %d, %s : tensor<8x32xf32>
    %g = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
    %a = stablehlo.constant dense<0.9> : tensor<64x32xf32>
    %m = stablehlo.multiply %v, %a : tensor<64x32xf32>
    %n = stablehlo.add %m, %g : tensor<64x32xf32>
    %l = stablehlo.constant dense<0.01> : tensor<64x32xf32>
    %q = stablehlo.multiply %n, %l : tensor<64x32xf32>
    %o = stablehlo.subtract %w, %q : tensor<64x32xf32>
    return %o, %n : tensor<64x32xf32>, tensor<64x32xf32>
  }
}
