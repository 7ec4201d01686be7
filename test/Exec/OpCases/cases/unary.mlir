// Unary elementwise ops: one dimension of each kind is enough, both are tried.
func.func @abs_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.abs"} {
  %0 = stablehlo.abs %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @ceil_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.ceil"} {
  %0 = stablehlo.ceil %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @exponential_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.exponential"} {
  %0 = stablehlo.exponential %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @floor_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.floor"} {
  %0 = stablehlo.floor %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @log_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.log"} {
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %0 = stablehlo.log %p : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @negate_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.negate"} {
  %0 = stablehlo.negate %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @rsqrt_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.rsqrt"} {
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %0 = stablehlo.rsqrt %p : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @sign_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.sign"} {
  %0 = stablehlo.sign %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @sqrt_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.sqrt"} {
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %0 = stablehlo.sqrt %p : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @tanh_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.tanh"} {
  %0 = stablehlo.tanh %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @exponential_minus_one_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.exponential_minus_one"} {
  %0 = stablehlo.exponential_minus_one %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @log_plus_one_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.log_plus_one"} {
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %0 = stablehlo.log_plus_one %p : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @logistic_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.logistic"} {
  %0 = stablehlo.logistic %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @cosine_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.cosine"} {
  %0 = stablehlo.cosine %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @sine_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.sine"} {
  %0 = stablehlo.sine %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @round_nearest_even_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.round_nearest_even"} {
  %0 = stablehlo.round_nearest_even %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @negate_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.negate"} {
  %0 = stablehlo.negate %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @not_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.not"} {
  %0 = stablehlo.not %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @abs_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.abs"} {
  %0 = stablehlo.abs %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @sign_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.sign"} {
  %0 = stablehlo.sign %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @is_finite(%a: tensor<6x5xf32>) -> tensor<6x5xi1> attributes {op = "stablehlo.is_finite"} {
  %0 = stablehlo.is_finite %a : (tensor<6x5xf32>) -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @square(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.square"} {
  %0 = chlo.square %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @convert(%a: tensor<6x5xf32>) -> tensor<6x5xbf16> attributes {op = "stablehlo.convert"} {
  %0 = stablehlo.convert %a : (tensor<6x5xf32>) -> tensor<6x5xbf16>
  return %0 : tensor<6x5xbf16>
}
func.func @convert_i32(%a: tensor<6x5xi32>) -> tensor<6x5xf32> attributes {op = "stablehlo.convert"} {
  %0 = stablehlo.convert %a : (tensor<6x5xi32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @tan_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.tan"} {
  %0 = stablehlo.tan %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @cbrt_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.cbrt"} {
  %0 = stablehlo.cbrt %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @round_nearest_afz_f32(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.round_nearest_afz"} {
  %0 = stablehlo.round_nearest_afz %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @count_leading_zeros_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.count_leading_zeros"} {
  %0 = stablehlo.count_leading_zeros %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @popcnt_i32(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.popcnt"} {
  %0 = stablehlo.popcnt %a : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @reduce_precision(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.reduce_precision"} {
  %0 = stablehlo.reduce_precision %a, format = e8m7 : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_acos(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.acos"} {
  %0 = chlo.acos %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_asin(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.asin"} {
  %0 = chlo.asin %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_atan(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.atan"} {
  %0 = chlo.atan %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_atanh(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.atanh"} {
  %0 = chlo.atanh %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_asinh(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.asinh"} {
  %0 = chlo.asinh %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_cosh(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.cosh"} {
  %0 = chlo.cosh %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_sinh(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.sinh"} {
  %0 = chlo.sinh %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_tan(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.tan"} {
  %0 = chlo.tan %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_erf(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.erf"} {
  %0 = chlo.erf %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_acosh(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.acosh"} {
  %one = stablehlo.constant dense<1.0> : tensor<6x5xf32>
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %q = stablehlo.add %p, %one : tensor<6x5xf32>
  %0 = chlo.acosh %q : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_is_inf(%a: tensor<6x5xf32>) -> tensor<6x5xi1> attributes {op = "chlo.is_inf"} {
  %0 = chlo.is_inf %a : tensor<6x5xf32> -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @chlo_is_neg_inf(%a: tensor<6x5xf32>) -> tensor<6x5xi1> attributes {op = "chlo.is_neg_inf"} {
  %0 = chlo.is_neg_inf %a : tensor<6x5xf32> -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @chlo_is_pos_inf(%a: tensor<6x5xf32>) -> tensor<6x5xi1> attributes {op = "chlo.is_pos_inf"} {
  %0 = chlo.is_pos_inf %a : tensor<6x5xf32> -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @chlo_erf_inv(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.erf_inv"} {
  %p = stablehlo.tanh %a : tensor<6x5xf32>
  %0 = chlo.erf_inv %p : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_erfc(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.erfc"} {
  %0 = chlo.erfc %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_lgamma(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.lgamma"} {
  %0 = chlo.lgamma %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_digamma(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.digamma"} {
  %0 = chlo.digamma %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_bessel_i1e(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.bessel_i1e"} {
  %0 = chlo.bessel_i1e %a : tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_erf_inv_f64(%a: tensor<6x5xf64>) -> tensor<6x5xf64> attributes {op = "chlo.erf_inv"} {
  %p = stablehlo.tanh %a : tensor<6x5xf64>
  %0 = chlo.erf_inv %p : tensor<6x5xf64> -> tensor<6x5xf64>
  return %0 : tensor<6x5xf64>
}
