// Gradients are reduced in buckets; nothing that is needed waits for one.
// RUN: partopt-opt %s -partopt-bucket-all-reduce="bucket-mib=0.000031 first-bucket-mib=0.000015" | FileCheck %s
// RUN: partopt-opt %s -partopt-bucket-all-reduce="small-kib=0" | FileCheck %s --check-prefix=LARGE

// The first bucket is full at 16 bytes, the next at 32. Updates between the
// all-reduces move behind them.
// CHECK-LABEL: @gradients
// LARGE-LABEL: @gradients
func.func @gradients(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[FIRST:.+]]:2 = comm.all_reduce {"data"=2} sum %arg0, %arg1 {partopt.why = "bucket of 2: gradient"}
  // CHECK-NEXT: %[[SECOND:.+]]:2 = comm.all_reduce {"data"=2} sum %arg2, %arg3
  // CHECK-NEXT: %[[SCALED:.+]] = stablehlo.abs %[[FIRST]]#0
  // CHECK-NEXT: %[[UPDATE:.+]] = stablehlo.negate %[[SCALED]]
  // CHECK-NEXT: return %[[UPDATE]], %[[FIRST]]#1, %[[SECOND]]#0, %[[SECOND]]#1
  // LARGE: comm.all_reduce {"data"=2} sum %arg0, %arg1, %arg2, %arg3
  // LARGE-NOT: comm.all_reduce
  %0 = comm.all_reduce {"data"=2} sum %a {partopt.why = "gradient"} : (tensor<2xf32>) -> tensor<2xf32>
  %s = stablehlo.abs %0 : tensor<2xf32>
  %1 = stablehlo.negate %s : tensor<2xf32>
  %2 = comm.all_reduce {"data"=2} sum %b {partopt.why = "gradient"} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = comm.all_reduce {"data"=2} sum %c : (tensor<4xf32>) -> tensor<4xf32>
  %4 = comm.all_reduce {"data"=2} sum %d : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}

// A chain of all-reduces, as of tensor parallel blocks, is not merged.
// CHECK-LABEL: @chain
// LARGE-LABEL: @chain
func.func @chain(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: comm.all_reduce
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: comm.all_reduce
  %0 = comm.all_reduce {"model"=2} sum %a : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  %2 = comm.all_reduce {"model"=2} sum %1 : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Other axes, combiners and element types have buckets of their own.
// LARGE-LABEL: @kinds
func.func @kinds(%a: tensor<2xf32>, %b: tensor<2xf64>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf32>) {
  // LARGE: comm.all_reduce {"model"=2} sum %arg0
  // LARGE: comm.all_reduce {"data"=2} max %arg0
  // LARGE: comm.all_reduce {"data"=2} sum %arg1
  // LARGE: comm.all_reduce {"data"=2} sum %arg0, %arg0
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<2xf32>) -> tensor<2xf32>
  %1 = comm.all_reduce {"model"=2} sum %a : (tensor<2xf32>) -> tensor<2xf32>
  %2 = comm.all_reduce {"data"=2} max %a : (tensor<2xf32>) -> tensor<2xf32>
  %3 = comm.all_reduce {"data"=2} sum %b : (tensor<2xf64>) -> tensor<2xf64>
  %4 = comm.all_reduce {"data"=2} sum %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf32>
}

// Small gathers of parameters share one op at the first one's place, small
// scatters one at the last one's. A gather of something made later stays.
// CHECK-LABEL: @small
// LARGE-LABEL: @small
func.func @small(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[FULL:.+]]:2 = comm.all_gather {"data"=2} dim = 0 %arg0, %arg1
  // CHECK-NEXT: %[[MADE:.+]] = stablehlo.negate %arg0
  // CHECK-NEXT: %[[LATER:.+]] = comm.all_gather {"data"=2} dim = 0 %[[MADE]]
  // CHECK-NEXT: comm.reduce_scatter {"data"=2} sum dim = 0 %[[FULL]]#0, %[[FULL]]#1
  // CHECK-NEXT: return
  // LARGE-COUNT-3: comm.all_gather
  // LARGE-COUNT-2: comm.reduce_scatter
  %0 = comm.all_gather {"data"=2} dim = 0 %a : (tensor<2xf32>) -> tensor<4xf32>
  %n = stablehlo.negate %a : tensor<2xf32>
  %1 = comm.all_gather {"data"=2} dim = 0 %b : (tensor<2xf32>) -> tensor<4xf32>
  %2 = comm.all_gather {"data"=2} dim = 0 %n : (tensor<2xf32>) -> tensor<4xf32>
  %3 = comm.reduce_scatter {"data"=2} sum dim = 0 %0 : (tensor<4xf32>) -> tensor<2xf32>
  %4 = comm.reduce_scatter {"data"=2} sum dim = 0 %1 : (tensor<4xf32>) -> tensor<2xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}

// What another rank waits for does not keep gradients out of a bucket: the send and what
// is behind it move, in the order that messages had.
// LARGE-LABEL: func.func @messages
// LARGE: %[[FIRST:.+]] = comm.recv {"pipe"=2} from = 1 channel = 0
// LARGE: %[[ALL:.+]]:2 = comm.all_reduce {"data"=2} sum %arg0, %arg1
// LARGE-NEXT: %[[S:.+]] = stablehlo.multiply %[[ALL]]#0, %[[FIRST]]
// LARGE-NEXT: comm.send {"pipe"=2} to = 1 channel = 1 %[[S]]
// LARGE-NEXT: %[[LAST:.+]] = comm.recv {"pipe"=2} from = 1 channel = 2
// LARGE-NEXT: stablehlo.multiply %[[ALL]]#1, %[[LAST]]
func.func @messages(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %f = comm.recv {"pipe"=2} from = 1 channel = 0 : tensor<8xf32>
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<8xf32>) -> tensor<8xf32>
  %s = stablehlo.multiply %0, %f : tensor<8xf32>
  comm.send {"pipe"=2} to = 1 channel = 1 %s : tensor<8xf32>
  %l = comm.recv {"pipe"=2} from = 1 channel = 2 : tensor<8xf32>
  %1 = comm.all_reduce {"data"=2} sum %b : (tensor<8xf32>) -> tensor<8xf32>
  %t = stablehlo.multiply %1, %l : tensor<8xf32>
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}

// A message that a collective waits for stays, and so do those before it.
// LARGE-LABEL: func.func @waits
// LARGE: %[[ONE:.+]] = comm.all_reduce {"data"=2} sum %arg0
// LARGE: comm.send
// LARGE: %[[L:.+]] = comm.recv
// LARGE: %[[M:.+]] = stablehlo.multiply %arg1, %[[L]]
// LARGE: comm.all_reduce {"data"=2} sum %[[M]]
func.func @waits(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<8xf32>) -> tensor<8xf32>
  comm.send {"pipe"=2} to = 1 channel = 1 %0 : tensor<8xf32>
  %l = comm.recv {"pipe"=2} from = 1 channel = 2 : tensor<8xf32>
  %m = stablehlo.multiply %b, %l : tensor<8xf32>
  %1 = comm.all_reduce {"data"=2} sum %m : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
