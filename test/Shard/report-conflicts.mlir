// Where the tensors of an op ended with different axes.
// RUN: partopt-opt %s --split-input-file --verify-diagnostics --partopt-report-conflicts

sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @contradiction(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
                         %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
  // expected-remark @+1 {{factor i is split over {"b"} in operand 1 and over {"a"} in operand 0}}
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @competition(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                       %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x4xf32> {
  // expected-remark @+1 {{factor k is split over {"a"} in operand 1 and over {} in operand 0, where another dimension has the axis}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
