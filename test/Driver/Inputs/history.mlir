// x[t+1] = 2 x[t] - x[t-1]: what comes in as the current value goes out as the one
// before.
func.func @main(%before: tensor<4xf32> loc("before"), %now: tensor<4xf32> loc("now"))
    -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %twice = stablehlo.multiply %now, %two : tensor<4xf32>
  %next = stablehlo.subtract %twice, %before : tensor<4xf32>
  return %now, %next : tensor<4xf32>, tensor<4xf32>
}
