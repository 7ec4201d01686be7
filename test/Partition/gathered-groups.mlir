// What is gathered in front of a reshape says which groups the devices do not
// share evenly, and what would.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-insert-reshards -o /dev/null

sdy.mesh @mesh = <["model"=4]>
func.func @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> tensor<8x6x2xf32> {
  // expected-warning@+1 {{'stablehlo.reshape' cannot run with dimension 1 of operand 0 split over {"model"} (6 groups of 2, such as heads, which 4 devices do not share evenly; an axis whose size divides 6 keeps them split): it is gathered, 384 bytes per device}}
  %0 = stablehlo.reshape %a : (tensor<8x12xf32>) -> tensor<8x6x2xf32>
  return %0 : tensor<8x6x2xf32>
}
