// partopt 0.1.0
// command: partopt run /tmp/cplx_small.mlir --inputs random:1
sdy.mesh @mesh = <["data"=4]>
func.func @main(%a: tensor<9x7xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<9x7xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [7] : (tensor<9x7xcomplex<f32>>) -> tensor<9x7xcomplex<f32>>
  return %0 : tensor<9x7xcomplex<f32>>
}
