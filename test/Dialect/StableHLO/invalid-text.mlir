// What does not parse: unknown ops, types and forms are errors at their line.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.frobnicate' is unknown}}
  %0 = stablehlo.frobnicate %arg0 : tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{unregistered operation 'stablehlo.frobnicate' found in dialect ('stablehlo') that does not allow unknown operations}}
  %0 = "stablehlo.frobnicate"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected a type with 2 operands and 1 result, but got 1 operands and 1 results}}
  %0 = stablehlo.add %arg0, %arg0 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected a tensor of complex values, but got 'tensor<8xf32>'}}
  %0 = stablehlo.complex %arg0, %arg0 : tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected as many results as operands, but got 1 operands and 0 results}}
  %0 = stablehlo.optimization_barrier %arg0 : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected a format like 'e8m7', but got 'm7e8'}}
  %0 = stablehlo.reduce_precision %arg0, format = m7e8 : tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{expected ':'}}
  %0 = stablehlo.slice %arg0 [0-8] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{expected ::partopt::stablehlo::ComparisonDirection to be one of: EQ, NE, GE, GT, LE, LT}}
  // expected-error @+1 {{failed to parse StableHLO_ComparisonDirectionAttr parameter 'value'}}
  %0 = stablehlo.compare ABOUT, %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{field 'type' is missing}}
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}
