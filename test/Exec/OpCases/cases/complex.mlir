// Elementwise ops on complex numbers.
func.func @complex_negate(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.negate"} {
  %0 = stablehlo.negate %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_sign(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.sign"} {
  %0 = stablehlo.sign %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_exponential(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.exponential"} {
  %0 = stablehlo.exponential %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_exponential_minus_one(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.exponential_minus_one"} {
  %0 = stablehlo.exponential_minus_one %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_log_plus_one(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.log_plus_one"} {
  %0 = stablehlo.log_plus_one %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_tanh(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.tanh"} {
  %0 = stablehlo.tanh %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_tan(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.tan"} {
  %0 = stablehlo.tan %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_sine(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.sine"} {
  %0 = stablehlo.sine %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_cosine(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.cosine"} {
  %0 = stablehlo.cosine %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_logistic(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.logistic"} {
  %0 = stablehlo.logistic %a : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_log(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.log"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %a, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.log %p : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_sqrt(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.sqrt"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %a, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.sqrt %p : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_rsqrt(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.rsqrt"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %a, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.rsqrt %p : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_cbrt(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.cbrt"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %a, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.cbrt %p : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_add(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.add"} {
  %0 = stablehlo.add %a, %b : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_subtract(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.subtract"} {
  %0 = stablehlo.subtract %a, %b : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_multiply(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.multiply"} {
  %0 = stablehlo.multiply %a, %b : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_divide_f32(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.divide"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %b, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.divide %a, %p : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_divide_f64(%a: tensor<6x5xcomplex<f64>>, %b: tensor<6x5xcomplex<f64>>) -> tensor<6x5xcomplex<f64>> attributes {op = "stablehlo.divide"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f64>>
  %p = stablehlo.add %b, %one : tensor<6x5xcomplex<f64>>
  %0 = stablehlo.divide %a, %p : tensor<6x5xcomplex<f64>>
  return %0 : tensor<6x5xcomplex<f64>>
}
func.func @complex_power(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.power"} {
  %one = stablehlo.constant dense<(1.0, 0.5)> : tensor<6x5xcomplex<f32>>
  %p = stablehlo.add %a, %one : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.power %p, %b : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_abs(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32> attributes {op = "stablehlo.abs"} {
  %0 = stablehlo.abs %a : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @complex_abs_f64(%a: tensor<6x5xcomplex<f64>>) -> tensor<6x5xf64> attributes {op = "stablehlo.abs"} {
  %0 = stablehlo.abs %a : (tensor<6x5xcomplex<f64>>) -> tensor<6x5xf64>
  return %0 : tensor<6x5xf64>
}
func.func @complex_real(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32> attributes {op = "stablehlo.real"} {
  %0 = stablehlo.real %a : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @complex_imag(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32> attributes {op = "stablehlo.imag"} {
  %0 = stablehlo.imag %a : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @complex_from_parts(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.complex"} {
  %0 = stablehlo.complex %a, %b : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_conj(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "chlo.conj"} {
  %0 = chlo.conj %a : tensor<6x5xcomplex<f32>> -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_conj_of_real(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.conj"} {
  %0 = chlo.conj %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @complex_compare(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<6x5xi1> attributes {op = "stablehlo.compare"} {
  %m = stablehlo.multiply %a, %b : tensor<6x5xcomplex<f32>>
  %n = stablehlo.multiply %b, %a : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.compare EQ, %m, %n, FLOAT : (tensor<6x5xcomplex<f32>>, tensor<6x5xcomplex<f32>>) -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @complex_select(%a: tensor<6x5xi1>, %b: tensor<6x5xcomplex<f32>>, %c: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.select"} {
  %0 = stablehlo.select %a, %b, %c : tensor<6x5xi1>, tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_convert_from_real(%a: tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.convert"} {
  %0 = stablehlo.convert %a : (tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_convert_wider(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f64>> attributes {op = "stablehlo.convert"} {
  %0 = stablehlo.convert %a : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f64>>
  return %0 : tensor<6x5xcomplex<f64>>
}
func.func @complex_convert_to_real(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32> attributes {op = "stablehlo.convert"} {
  %0 = stablehlo.convert %a : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
