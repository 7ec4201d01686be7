// partopt 0.1.0
// command: partopt run /tmp/cond_small.mlir --inputs random:1
sdy.mesh @mesh = <["data"=3]>
func.func @main(%i: tensor<i32>, %a: tensor<9x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<9x7xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %a, %a : tensor<9x7xf32>
    stablehlo.return %1 : tensor<9x7xf32>
  }, {
    %c = stablehlo.constant dense<1.0> : tensor<9x7xf32>
    %1 = stablehlo.subtract %a, %c : tensor<9x7xf32>
    stablehlo.return %1 : tensor<9x7xf32>
  }) : (tensor<i32>) -> tensor<9x7xf32>
  return %0 : tensor<9x7xf32>
}
