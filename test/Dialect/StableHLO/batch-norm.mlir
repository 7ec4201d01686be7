// RUN: partopt-opt --split-input-file --verify-diagnostics %s

func.func @round_trip(%x: tensor<8x3xf32>, %s: tensor<3xf32>) -> tensor<8x3xf32> {
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %g:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %y) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %z = "stablehlo.batch_norm_inference"(%g#0, %s, %s, %m, %v) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  return %z : tensor<8x3xf32>
}

// -----

func.func @no_such_feature(%x: tensor<8x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{feature_index = 2 must be a dimension of 'tensor<8x3xf32>'}}
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-03 : f32, feature_index = 2 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @wrong_count(%x: tensor<8x3xf32>, %s: tensor<8xf32>) -> tensor<8x3xf32> {
  // expected-error@+1 {{a tensor of one element per feature}}
  %z = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x3xf32>
  return %z : tensor<8x3xf32>
}

// -----

func.func @wrong_shape(%x: tensor<8x3xf32>, %g: tensor<4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{a tensor like the operand}}
  %g0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %g) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
