// Random bits that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<2xui64>) {
  // expected-error @+1 {{output_state must have type 'tensor<2xui64>', but has type 'tensor<3xui64>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%arg0: tensor<3xui64>) {
  // expected-error @+1 {{initial_state must have type tensor<2xui64>, but has type 'tensor<3xui64>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%arg0: tensor<4xui64>) {
  // expected-error @+1 {{initial_state must have type tensor<2xui64> or tensor<3xui64>, but has type 'tensor<4xui64>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%arg0: tensor<2xi64>) {
  // expected-error @+1 {{initial_state must have type tensor<2xui64> or tensor<3xui64>, but has type 'tensor<2xi64>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xi64>) -> (tensor<2xi64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%arg0: tensor<1x2xui64>) {
  // expected-error @+1 {{initial_state must have type tensor<2xui64>, but has type 'tensor<1x2xui64>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%arg0: tensor<2xui64>) {
  // expected-error @+1 {{output must be of integers of 2 bits or more or of floats, but has type 'tensor<4xcomplex<f32>>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xcomplex<f32>>)
  return
}

// -----

func.func @case(%arg0: tensor<2xui64>) {
  // expected-error @+1 {{output must be of integers of 2 bits or more or of floats, but has type 'tensor<4xi1>'}}
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xi1>)
  return
}
