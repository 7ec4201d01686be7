// Kernels that would take more shared memory than a block has.
func.func private @turns(%a: tensor<256x512xf64>, %b: tensor<256x512xf64>, %c: tensor<256x512xf64>, %d: tensor<256x512xf64>, %e: tensor<256x512xf64>, %f: tensor<256x512xf64>) -> tensor<512x256xf64> attributes {partopt.kernel} {
  %ta = stablehlo.transpose %a, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %tb = stablehlo.transpose %b, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %tc = stablehlo.transpose %c, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %td = stablehlo.transpose %d, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %te = stablehlo.transpose %e, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %tf = stablehlo.transpose %f, dims = [1, 0] : (tensor<256x512xf64>) -> tensor<512x256xf64>
  %ab = stablehlo.add %ta, %tb : tensor<512x256xf64>
  %cd = stablehlo.add %tc, %td : tensor<512x256xf64>
  %ef = stablehlo.add %te, %tf : tensor<512x256xf64>
  %abcd = stablehlo.add %ab, %cd : tensor<512x256xf64>
  %r = stablehlo.add %abcd, %ef : tensor<512x256xf64>
  return %r : tensor<512x256xf64>
}
func.func private @moments(%a: tensor<8192x64xcomplex<f64>>) -> (tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>) attributes {partopt.kernel} {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %b = stablehlo.multiply %a, %a : tensor<8192x64xcomplex<f64>>
  %c = stablehlo.multiply %b, %a : tensor<8192x64xcomplex<f64>>
  %d = stablehlo.multiply %c, %a : tensor<8192x64xcomplex<f64>>
  %e = stablehlo.multiply %d, %a : tensor<8192x64xcomplex<f64>>
  %f = stablehlo.multiply %e, %a : tensor<8192x64xcomplex<f64>>
  %g = stablehlo.multiply %f, %a : tensor<8192x64xcomplex<f64>>
  %r:7 = "stablehlo.reduce"(%a, %b, %c, %d, %e, %f, %g, %zero, %zero, %zero, %zero, %zero, %zero, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a0: tensor<complex<f64>>, %b0: tensor<complex<f64>>, %c0: tensor<complex<f64>>, %d0: tensor<complex<f64>>, %e0: tensor<complex<f64>>, %f0: tensor<complex<f64>>, %g0: tensor<complex<f64>>, %a1: tensor<complex<f64>>, %b1: tensor<complex<f64>>, %c1: tensor<complex<f64>>, %d1: tensor<complex<f64>>, %e1: tensor<complex<f64>>, %f1: tensor<complex<f64>>, %g1: tensor<complex<f64>>):
    %as = stablehlo.add %a0, %a1 : tensor<complex<f64>>
    %bs = stablehlo.add %b0, %b1 : tensor<complex<f64>>
    %cs = stablehlo.add %c0, %c1 : tensor<complex<f64>>
    %ds = stablehlo.add %d0, %d1 : tensor<complex<f64>>
    %es = stablehlo.add %e0, %e1 : tensor<complex<f64>>
    %fs = stablehlo.add %f0, %f1 : tensor<complex<f64>>
    %gs = stablehlo.add %g0, %g1 : tensor<complex<f64>>
    stablehlo.return %as, %bs, %cs, %ds, %es, %fs, %gs : tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>
  }) : (tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<8192x64xcomplex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>) -> (tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>, tensor<64xcomplex<f64>>
}
