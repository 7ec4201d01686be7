// Random bits, which are made whole and cut where their user is split, maps,
// and collectives of a program for one device.
func.func @threefry(%s: tensor<2xui64>, %a: tensor<6x5xui32>) -> (tensor<2xui64>, tensor<6x5xui32>) attributes {op = "stablehlo.rng_bit_generator"} {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6x5xui32>)
  %1 = stablehlo.xor %0#1, %a : tensor<6x5xui32>
  return %0#0, %1 : tensor<2xui64>, tensor<6x5xui32>
}
func.func @threefry_wide(%s: tensor<2xui64>, %a: tensor<3x7xui64>) -> (tensor<2xui64>, tensor<3x7xui64>) attributes {op = "stablehlo.rng_bit_generator"} {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x7xui64>)
  %1 = stablehlo.xor %0#1, %a : tensor<3x7xui64>
  return %0#0, %1 : tensor<2xui64>, tensor<3x7xui64>
}
func.func @philox(%s: tensor<3xui64>, %a: tensor<5x3xui16>) -> (tensor<3xui64>, tensor<5x3xui16>) attributes {op = "stablehlo.rng_bit_generator"} {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5x3xui16>)
  %1 = stablehlo.xor %0#1, %a : tensor<5x3xui16>
  return %0#0, %1 : tensor<3xui64>, tensor<5x3xui16>
}
func.func @default_generator(%s: tensor<2xui64>, %a: tensor<6x9xf32>) -> (tensor<2xui64>, tensor<6x9xf32>) attributes {op = "stablehlo.rng_bit_generator"} {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6x9xui32>)
  %1 = stablehlo.convert %0#1 : (tensor<6x9xui32>) -> tensor<6x9xf32>
  %2 = stablehlo.multiply %1, %a : tensor<6x9xf32>
  return %0#0, %2 : tensor<2xui64>, tensor<6x9xf32>
}
func.func @map(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.map"} {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.multiply %x, %c : tensor<f32>
    %2 = stablehlo.tanh %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// Padding in a shard must not reach the sum through the map.
func.func @map_of_two(%a: tensor<7x3xi32>, %b: tensor<7x3xf32>) -> (tensor<7x3xi1>, tensor<3xi32>) attributes {op = "stablehlo.map"} {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<f32>):
    %1 = stablehlo.convert %x : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.compare LE, %1, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<7x3xi32>, tensor<7x3xf32>) -> tensor<7x3xi1>
  %3 = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<i1>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.convert %x : (tensor<i1>) -> tensor<i32>
    %5 = stablehlo.add %4, %one : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }) : (tensor<7x3xi1>) -> tensor<7x3xi32>
  %6 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<7x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %6 : tensor<7x3xi1>, tensor<3xi32>
}
func.func @permute(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.collective_permute"} {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @permute_nothing(%a: tensor<6x5xi32>) -> tensor<6x5xi32> attributes {op = "stablehlo.collective_permute"} {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<6x5xi32>) -> tensor<6x5xi32>
  %1 = stablehlo.add %0, %a : tensor<6x5xi32>
  return %1 : tensor<6x5xi32>
}
func.func @broadcast_to_group(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.collective_broadcast"} {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @broadcast_to_nobody(%a: tensor<5x6xi1>) -> tensor<5x6xi1> attributes {op = "stablehlo.collective_broadcast"} {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<> : tensor<0x1xi64>}> : (tensor<5x6xi1>) -> tensor<5x6xi1>
  %1 = stablehlo.or %0, %a : tensor<5x6xi1>
  return %1 : tensor<5x6xi1>
}
