// Collectives that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{replica_groups must be a table with one row for each group, but has type 'tensor<2xi64>'}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{replica_groups hold the device -1; groups must have the same size and no negative entries}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{device 0 is twice in replica_groups}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{device 9223372036854775807 is twice in replica_groups}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<9223372036854775807> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{the arguments of region 'computation' must have types ('tensor<f32>', 'tensor<f32>'), but have types ('tensor<f64>', 'tensor<f64>')}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{results must have types ('tensor<8x16xf32>'), but have types ('tensor<8x8xf32>')}}
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{needs one operand or more}}
  "stablehlo.all_reduce"() <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{all_gather_dim = 2 is not below the rank 2 of 'tensor<8x16xf32>'}}
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<16x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{results must have types ('tensor<16x16xf32>'), but have types ('tensor<8x16xf32>')}}
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{scatter_dimension = 2 is not below the rank 2 of 'tensor<8x16xf32>'}}
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{dimension 0 of 'tensor<8x16xf32>' is not a multiple of the group size 3}}
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{result must have type 'tensor<4x16xf32>', but has type 'tensor<8x16xf32>'}}
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{split_count = 4 must equal the group size 2}}
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{split_dimension = 2 is not below the rank 2 of 'tensor<8x16xf32>'}}
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<8x16xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{concat_dimension = -1 is not below the rank 2 of 'tensor<8x16xf32>'}}
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{dimension 0 of 'tensor<8x16xf32>' is not a multiple of split_count = 3}}
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, split_count = 3 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{results must have types ('tensor<4x32xf32>'), but have types ('tensor<8x16xf32>')}}
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{source_target_pairs must be a table of pairs, but has type 'tensor<1x3xi64>'}}
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{source_target_pairs hold the device -1, which is negative}}
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{device 0 is twice a source in source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{device 1 is twice a target in source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{needs the same type for all operands and results, but operand #0 has type 'tensor<8x16xf32>' and result #0 has type 'tensor<8x8xf32>'}}
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>) {
  // expected-error @+1 {{device 0 is twice in replica_groups}}
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}
