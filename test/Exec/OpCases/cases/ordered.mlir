// Windows, scans, sorts and top_k: along a split dimension and across it.
func.func @cumsum(%a: tensor<10x3xf32>) -> tensor<10x3xf32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[9, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 10, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<10x3xf32>, tensor<f32>) -> tensor<10x3xf32>
  return %0 : tensor<10x3xf32>
}
func.func @cumsum_integers(%a: tensor<2x9xi32>) -> tensor<2x9xi32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [0, 8]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 9>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x9xi32>, tensor<i32>) -> tensor<2x9xi32>
  return %0 : tensor<2x9xi32>
}
func.func @cumprod_reverse(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 5>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// The initial value is no identity, but does no harm twice.
func.func @cummax(%a: tensor<7xf32>) -> tensor<7xf32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[6, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 7>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
func.func @cumulative_pair(%a: tensor<6x4xf32>, %b: tensor<6x4xbf16>) -> (tensor<6x4xf32>, tensor<6x4xbf16>) attributes {op = "stablehlo.reduce_window"} {
  %y = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0:2 = "stablehlo.reduce_window"(%a, %b, %y, %z) <{padding = dense<[[0, 5], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 6, 1>}> ({
  ^bb0(%x: tensor<f32>, %xb: tensor<bf16>, %v: tensor<f32>, %vb: tensor<bf16>):
    %s = stablehlo.maximum %x, %v : tensor<f32>
    %t = stablehlo.maximum %xb, %vb : tensor<bf16>
    stablehlo.return %s, %t : tensor<f32>, tensor<bf16>
  }) : (tensor<6x4xf32>, tensor<6x4xbf16>, tensor<f32>, tensor<bf16>) -> (tensor<6x4xf32>, tensor<6x4xbf16>)
  return %0#0, %0#1 : tensor<6x4xf32>, tensor<6x4xbf16>
}
// Every padded element counts: such a scan is gathered.
func.func @cumsum_from_one(%a: tensor<6x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 6, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @pooling(%a: tensor<5x6x6x3xf32>) -> tensor<5x3x3x3xf32> attributes {op = "stablehlo.reduce_window"} {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [0, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x6x6x3xf32>, tensor<f32>) -> tensor<5x3x3x3xf32>
  return %0 : tensor<5x3x3x3xf32>
}
func.func @sort_pairs(%a: tensor<6x5xf32>, %b: tensor<6x5xi32>) -> (tensor<6x5xf32>, tensor<6x5xi32>) attributes {op = "stablehlo.sort"} {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %l = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<6x5xf32>, tensor<6x5xi32>) -> (tensor<6x5xf32>, tensor<6x5xi32>)
  return %0#0, %0#1 : tensor<6x5xf32>, tensor<6x5xi32>
}
func.func @sort_rows(%a: tensor<7x4xi32>) -> tensor<7x4xi32> attributes {op = "stablehlo.sort"} {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %l = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<7x4xi32>) -> tensor<7x4xi32>
  return %0 : tensor<7x4xi32>
}
func.func @top_k(%a: tensor<6x10xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>) attributes {op = "chlo.top_k"} {
  %v, %i = chlo.top_k(%a, k = 3) : tensor<6x10xf32> -> (tensor<6x3xf32>, tensor<6x3xi32>)
  return %v, %i : tensor<6x3xf32>, tensor<6x3xi32>
}
// Many equal values, and more candidates than a shard has.
func.func @top_k_ties(%a: tensor<3x9xi8>) -> (tensor<3x7xi8>, tensor<3x7xi32>) attributes {op = "chlo.top_k"} {
  %m = stablehlo.constant dense<2> : tensor<3x9xi8>
  %r = stablehlo.remainder %a, %m : tensor<3x9xi8>
  %v, %i = chlo.top_k(%r, k = 7) : tensor<3x9xi8> -> (tensor<3x7xi8>, tensor<3x7xi32>)
  return %v, %i : tensor<3x7xi8>, tensor<3x7xi32>
}
// The lowest possible values must not be taken for padding.
func.func @top_k_lowest(%a: tensor<2x7xi8>) -> (tensor<2x7xi8>, tensor<2x7xi32>) attributes {op = "chlo.top_k"} {
  %m = stablehlo.constant dense<-128> : tensor<2x7xi8>
  %r = stablehlo.minimum %a, %m : tensor<2x7xi8>
  %v, %i = chlo.top_k(%r, k = 7) : tensor<2x7xi8> -> (tensor<2x7xi8>, tensor<2x7xi32>)
  return %v, %i : tensor<2x7xi8>, tensor<2x7xi32>
}
func.func @top_k_bf16(%a: tensor<2x3x6xbf16>) -> (tensor<2x3x2xbf16>, tensor<2x3x2xi32>) attributes {op = "chlo.top_k"} {
  %v, %i = chlo.top_k(%a, k = 2) : tensor<2x3x6xbf16> -> (tensor<2x3x2xbf16>, tensor<2x3x2xi32>)
  return %v, %i : tensor<2x3x2xbf16>, tensor<2x3x2xi32>
}
