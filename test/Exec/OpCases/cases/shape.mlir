// Ops that move data.
func.func @broadcast(%a: tensor<6x5xf32>) -> tensor<6x3x5xf32> attributes {op = "stablehlo.broadcast_in_dim"} {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<6x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @broadcast_one(%a: tensor<6x1xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.broadcast_in_dim"} {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @reshape_merge(%a: tensor<6x5xf32>) -> tensor<30xf32> attributes {op = "stablehlo.reshape"} {
  %0 = stablehlo.reshape %a : (tensor<6x5xf32>) -> tensor<30xf32>
  return %0 : tensor<30xf32>
}
func.func @reshape_split(%a: tensor<12xf32>) -> tensor<6x2xf32> attributes {op = "stablehlo.reshape"} {
  %0 = stablehlo.reshape %a : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
func.func @reshape_cross(%a: tensor<6x4xf32>) -> tensor<4x6xf32> attributes {op = "stablehlo.reshape"} {
  %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @reshape_ones(%a: tensor<6x5xf32>) -> tensor<6x1x5x1xf32> attributes {op = "stablehlo.reshape"} {
  %0 = stablehlo.reshape %a : (tensor<6x5xf32>) -> tensor<6x1x5x1xf32>
  return %0 : tensor<6x1x5x1xf32>
}
func.func @transpose(%a: tensor<6x5x7xf32>) -> tensor<7x6x5xf32> attributes {op = "stablehlo.transpose"} {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<6x5x7xf32>) -> tensor<7x6x5xf32>
  return %0 : tensor<7x6x5xf32>
}
func.func @slice(%a: tensor<6x7xf32>) -> tensor<6x3xf32> attributes {op = "stablehlo.slice"} {
  %0 = stablehlo.slice %a [0:6, 1:7:2] : (tensor<6x7xf32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}
func.func @pad(%a: tensor<6x5xf32>, %v: tensor<f32>) -> tensor<6x9xf32> attributes {op = "stablehlo.pad"} {
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [0, 3], interior = [0, 0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}
func.func @concatenate(%a: tensor<6x5xf32>, %b: tensor<6x2xf32>) -> tensor<6x7xf32> attributes {op = "stablehlo.concatenate"} {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<6x5xf32>, tensor<6x2xf32>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}
func.func @reverse(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.reverse"} {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @iota(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.iota"} {
  %i = stablehlo.iota dim = 0 : tensor<6x5xi32>
  %0 = stablehlo.add %a, %i : tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @iota_minor(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.iota"} {
  %i = stablehlo.iota dim = 1 : tensor<6x5xf32>
  %0 = stablehlo.add %a, %i : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @constant(%a: tensor<6x2xf32>) -> tensor<6x2xf32> attributes {op = "stablehlo.constant"} {
  %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]> : tensor<6x2xf32>
  %0 = stablehlo.multiply %a, %c : tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
func.func @dynamic_slice(%a: tensor<6x5xf32>, %i: tensor<i32>) -> tensor<6x2xf32> attributes {op = "stablehlo.dynamic_slice"} {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %z, %i, sizes = [6, 2] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
func.func @dynamic_update_slice(%a: tensor<6x5xf32>, %u: tensor<6x2xf32>, %i: tensor<i32>) -> tensor<6x5xf32> attributes {op = "stablehlo.dynamic_update_slice"} {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %z, %i : (tensor<6x5xf32>, tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @bitcast_convert(%a: tensor<6x5xf32>) -> tensor<6x5xi32> attributes {op = "stablehlo.bitcast_convert"} {
  %0 = stablehlo.bitcast_convert %a : (tensor<6x5xf32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
func.func @bitcast_to_parts(%a: tensor<6x5xf32>) -> tensor<6x5x4xi8> attributes {op = "stablehlo.bitcast_convert"} {
  %0 = stablehlo.bitcast_convert %a : (tensor<6x5xf32>) -> tensor<6x5x4xi8>
  return %0 : tensor<6x5x4xi8>
}
func.func @bitcast_from_parts(%a: tensor<6x4xui16>) -> tensor<6xui64> attributes {op = "stablehlo.bitcast_convert"} {
  %0 = stablehlo.bitcast_convert %a : (tensor<6x4xui16>) -> tensor<6xui64>
  return %0 : tensor<6xui64>
}
func.func @bitcast_convert_bf16(%a: tensor<6x5xi16>) -> tensor<6x5xbf16> attributes {op = "stablehlo.bitcast_convert"} {
  %0 = stablehlo.bitcast_convert %a : (tensor<6x5xi16>) -> tensor<6x5xbf16>
  return %0 : tensor<6x5xbf16>
}
func.func @barrier(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.optimization_barrier"} {
  %0 = stablehlo.optimization_barrier %a : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
