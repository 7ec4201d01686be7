// Loops, branches, barriers and calls, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @loop
func.func @loop(%arg0: tensor<i32>, %arg1: tensor<4x8xf32>) {
  // CHECK: %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4x8xf32>
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4x8xf32>
  // CHECK: cond {
  cond {
    // CHECK: %c = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    // CHECK: %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // CHECK: stablehlo.return %1 : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  // CHECK: } do {
  } do {
    // CHECK: %c = stablehlo.constant dense<1> : tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    // CHECK: %1 = stablehlo.add %iterArg, %c : tensor<i32>
    %1 = stablehlo.add %iterArg, %c : tensor<i32>
    // CHECK: %2 = func.call @callee(%iterArg_0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = func.call @callee(%iterArg_0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: stablehlo.return %1, %2 : tensor<i32>, tensor<4x8xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @loops_with_attributes
func.func @loops_with_attributes() {
  // CHECK: stablehlo.while() attributes {mhlo.note = "kept"}
  stablehlo.while() attributes {mhlo.note = "kept"}
  // CHECK: cond {
  cond {
    // CHECK: %c = stablehlo.constant dense<false> : tensor<i1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    // CHECK: stablehlo.return %c : tensor<i1>
    stablehlo.return %c : tensor<i1>
  // CHECK: } do {
  } do {
    // CHECK: stablehlo.return
    stablehlo.return
  }
  return
}

// CHECK-LABEL: func.func private @callee
func.func private @callee(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %0 = call @deeper(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = call @deeper(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func private @deeper
func.func private @deeper(tensor<4x8xf32>) -> tensor<4x8xf32>

// CHECK-LABEL: func.func @branches
func.func @branches(%arg0: tensor<i32>, %arg1: tensor<i1>, %arg2: tensor<4xf32>) {
  // CHECK: %0 = "stablehlo.case"(%arg0) ({
  %0 = "stablehlo.case"(%arg0) ({
    // CHECK: %2 = stablehlo.multiply %arg2, %arg2 : tensor<4xf32>
    %2 = stablehlo.multiply %arg2, %arg2 : tensor<4xf32>
    // CHECK: stablehlo.return %2 : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  // CHECK: }, {
  }, {
    // CHECK: stablehlo.return %arg2 : tensor<4xf32>
    stablehlo.return %arg2 : tensor<4xf32>
  // CHECK: }) : (tensor<i32>) -> tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  // CHECK: %1 = "stablehlo.if"(%arg1) ({
  %1 = "stablehlo.if"(%arg1) ({
    // CHECK: stablehlo.return %arg2 : tensor<4xf32>
    stablehlo.return %arg2 : tensor<4xf32>
  // CHECK: }, {
  }, {
    // CHECK: stablehlo.return %arg2 : tensor<4xf32>
    stablehlo.return %arg2 : tensor<4xf32>
  // CHECK: }) : (tensor<i1>) -> tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @barriers
func.func @barriers(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // CHECK: %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  // CHECK: %1:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<i1>
  %1:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<i1>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: %2 = stablehlo.after_all : !stablehlo.token
  %2 = stablehlo.after_all : !stablehlo.token
  // CHECK: %3 = stablehlo.after_all %2, %2 : !stablehlo.token
  %3 = stablehlo.after_all %2, %2 : !stablehlo.token
  return
}

// CHECK-LABEL: func.func @calls
func.func @calls(%arg0: tensor<4x4xf32>) {
  // CHECK: %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // CHECK: %1 = stablehlo.custom_call @Sharding(%arg0) {api_version = 2 : i32, backend_config = "", has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.custom_call @Sharding(%arg0) {api_version = 2 : i32, backend_config = "", has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %2 = stablehlo.composite "partopt_test.silu" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @silu, version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.composite "partopt_test.silu" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @silu, version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func private @silu
func.func private @silu(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %arg0 : tensor<4x4xf32>
}

// JAX writes helpers of approx_max_k whose body ends in a stablehlo.return.
// CHECK-LABEL: func.func @comparator
func.func @comparator(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<i1> {
  // CHECK: %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  // CHECK: stablehlo.return %0 : tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
