// The rule of the reversal is a lie: on shards it reverses each one, not the
// whole. The unpartitioned program does not look at rules.
module {
  sdy.mesh @mesh = <["data"=2]>
  func.func public @main(
      %x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w: tensor<6x3xf32>, %n: tensor<4xi32>) -> (tensor<f32> {jax.result_info = "loss"}, tensor<4xi32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %x, %x : tensor<4x6xf32> loc("model.py":3:5)
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32> loc("model.py":4:9)
    %2 = stablehlo.reverse %1, dims = [0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=3}>} : tensor<4x3xf32> loc("model.py":7:9)
    %3 = stablehlo.multiply %2, %1 : tensor<4x3xf32> loc("model.py":8:1)
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32> loc("model.py":9:1)
    %5 = stablehlo.add %n, %n : tensor<4xi32> loc("model.py":10:1)
    return %4, %5 : tensor<f32>, tensor<4xi32>
  }
}
