// Axes by what is sent over them; device ids and reasons, and nothing else.
// RUN: partopt-opt %s -split-input-file -partopt-map-mesh="machine=cluster=h100x16" | FileCheck %s
// RUN: partopt-opt %s -split-input-file -partopt-map-mesh="machine=cluster=h100x16 axis-order=model,data" | FileCheck %s --check-prefix=HAND
// RUN: partopt-opt %s -split-input-file -partopt-map-mesh="machine=link=data=1us,1GB/s" | FileCheck %s --check-prefix=PLAIN --implicit-check-not=partopt.mapping

// The sum over "model" runs in each of 4 iterations: it stays in the node, so
// device 1 is the second place of "model", which is place 2 of the mesh.
// CHECK: module attributes {partopt.mapping = {axes = [
// CHECK-SAME: {axis = "data", bytes = 4194304 : i64, bytes_per_s = 5.000000e+10 : f64, collectives = 1 : i64, latency_s = 4.000000e-06 : f64, level = "network", why = "takes 91.9 us on the slowest link, no more than 'model' (
// CHECK-SAME: {axis = "model", bytes = 29360128 : i64, bytes_per_s = 4.500000e+11 : f64, collectives = 4 : i64, latency_s = 1.900000e-06 : f64, level = "node"
// CHECK-SAME: cluster = "h100x16", order_by = "traffic", other = ["model", "data"]}
// CHECK: sdy.mesh @mesh = <["model"=8, "data"=2, "micro"=4]> {partopt.device_ids = array<i64: 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15>}
// HAND: axes = [{axis = "model",{{.*}}level = "network"{{.*}}{axis = "data",{{.*}}level = "node"
// HAND-SAME: order_by = "hand", other = ["data", "model"]
// HAND: sdy.mesh @mesh = <["model"=8, "data"=2, "micro"=4]>{{$}}
// PLAIN: sdy.mesh @mesh = <["model"=8, "data"=2, "micro"=4]>{{$}}
module attributes {partopt.time_axes = {micro = 4 : i64}} {
sdy.mesh @mesh = <["model"=8, "data"=2, "micro"=4]>
func.func @main(%a: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %i, %sum = comm.loop_begin "micro" = 4 (%a) : (tensor<1048576xf32>) -> (tensor<i32>, tensor<1048576xf32>)
  %0 = comm.all_reduce {"model"=8} sum %sum : (tensor<1048576xf32>) -> tensor<1048576xf32>
  %1 = comm.loop_end (%0) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  %2 = comm.all_reduce {"data"=2} sum %1 : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %2 : tensor<1048576xf32>
}
}

// -----

// The mesh's own order is the best: no device moves.
// CHECK: sdy.mesh @mesh = <["data"=2, "model"=8]>{{$}}
sdy.mesh @mesh = <["data"=2, "model"=8]>
func.func @main(%a: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = comm.all_reduce {"model"=8} sum %a : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
