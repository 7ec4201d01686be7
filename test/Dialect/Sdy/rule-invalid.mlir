// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// Sharding rules that do not describe their op.

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.sharding_rule' must be a #sdy.op_sharding_rule, got 1 : i64}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = 1} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 operands but its sharding rule maps 2}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{cannot have a sharding rule: it has no operand}}
  %0 = stablehlo.constant {sdy.sharding_rule = #sdy.op_sharding_rule<()->([i]) {i=8}>} dense<0.0> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<?xf32>) {
  // expected-error@+1 {{sharding rule, operand 0: needs a static shape, got 'tensor<?xf32>'}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<?xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule, operand 0: maps 2 dimensions but the type 'tensor<8xf32>' has 1}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=1}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule, operand 0: factor j has no size, the rule has 1 factors}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([j])->([i]) {i=8}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{sharding rule, operand 0: factor i is used twice}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, i]) {i=8}>} : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule, operand 0: factor j of size 1 must not share a dimension}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=8, j=1}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule: factor j is in no operand or result}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8, j=2}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule: reduction factor k has no size, the rule has 1 factors}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} reduction={k}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>) {
  // expected-error@+1 {{sharding rule: permutation factors must be in order, got i after j}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j, i}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{sharding rule: factor i can be only one of reduction, need_replication and permutation}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} reduction={i} permutation={i}>} : tensor<8xf32>
  return
}
