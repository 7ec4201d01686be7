// Binary elementwise ops.
func.func @add_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.add"} {
  %0 = stablehlo.add %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @subtract_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.subtract"} {
  %0 = stablehlo.subtract %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @multiply_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.multiply"} {
  %0 = stablehlo.multiply %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @divide_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.divide"} {
  %0 = stablehlo.divide %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @maximum_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.maximum"} {
  %0 = stablehlo.maximum %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @minimum_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.minimum"} {
  %0 = stablehlo.minimum %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @power_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.power"} {
  %p = stablehlo.abs %a : tensor<6x5xf32>
  %0 = stablehlo.power %p, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @add_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.add"} {
  %0 = stablehlo.add %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @multiply_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.multiply"} {
  %0 = stablehlo.multiply %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @and_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.and"} {
  %0 = stablehlo.and %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @or_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.or"} {
  %0 = stablehlo.or %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @xor_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.xor"} {
  %0 = stablehlo.xor %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @maximum_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.maximum"} {
  %0 = stablehlo.maximum %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @minimum_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.minimum"} {
  %0 = stablehlo.minimum %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @remainder_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.remainder"} {
  %one = stablehlo.constant dense<1> : tensor<6x5xi32>
  %d = stablehlo.add %b, %one : tensor<6x5xi32>
  %0 = stablehlo.remainder %a, %d : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @shift_left_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.shift_left"} {
  %0 = stablehlo.shift_left %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @shift_right_logical_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.shift_right_logical"} {
  %0 = stablehlo.shift_right_logical %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @shift_right_arithmetic_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.shift_right_arithmetic"} {
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @add_bf16(%a: tensor<6x5xbf16>, %b: tensor<6x5xbf16>) -> tensor<6x5xbf16> attributes {op = "stablehlo.add"} {
  %0 = stablehlo.add %a, %b : tensor<6x5xbf16>
  return %0 : tensor<6x5xbf16>
}
func.func @multiply_bf16(%a: tensor<6x5xbf16>, %b: tensor<6x5xbf16>) -> tensor<6x5xbf16> attributes {op = "stablehlo.multiply"} {
  %0 = stablehlo.multiply %a, %b : tensor<6x5xbf16>
  return %0 : tensor<6x5xbf16>
}
func.func @compare_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xi1> attributes {op = "stablehlo.compare"} {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @compare_i32(%a: tensor<6x5xi32>, %b: tensor<6x5xi32>) -> tensor<6x5xi1> attributes {op = "stablehlo.compare"} {
  %0 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<6x5xi32>, tensor<6x5xi32>) -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
func.func @select(%p: tensor<6x5xi1>, %a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.select"} {
  %0 = stablehlo.select %p, %a, %b : tensor<6x5xi1>, tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @select_scalar(%p: tensor<i1>, %a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.select"} {
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @clamp(%lo: tensor<f32>, %a: tensor<6x5xf32>, %hi: tensor<f32>) -> tensor<6x5xf32> attributes {op = "stablehlo.clamp"} {
  %0 = stablehlo.clamp %lo, %a, %hi : (tensor<f32>, tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @atan2_f32(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.atan2"} {
  %0 = stablehlo.atan2 %a, %b : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_next_after(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.next_after"} {
  %0 = chlo.next_after %a, %b : tensor<6x5xf32>, tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_zeta(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.zeta"} {
  %two = stablehlo.constant dense<2.0> : tensor<6x5xf32>
  %s = stablehlo.add %a, %two : tensor<6x5xf32>
  %q = stablehlo.abs %b : tensor<6x5xf32>
  %0 = chlo.zeta %s, %q : tensor<6x5xf32>, tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @chlo_polygamma(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "chlo.polygamma"} {
  %n = stablehlo.constant dense<3.0> : tensor<6x5xf32>
  %d = stablehlo.round_nearest_even %a : tensor<6x5xf32>
  %m = stablehlo.add %n, %d : tensor<6x5xf32>
  %x = stablehlo.add %b, %n : tensor<6x5xf32>
  %0 = chlo.polygamma %m, %x : tensor<6x5xf32>, tensor<6x5xf32> -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
