// RUN: partopt-opt --partopt-local-batch-statistics --split-input-file --verify-diagnostics %s | FileCheck %s

// A mean that is spread over the batch again is one per device, over half the
// rows; the sum that only leaves stays whole, and the running mean takes the
// first device's.
// CHECK-LABEL: func.func @centred
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x4xf32>
// CHECK:         %[[GROUPS:.+]] = stablehlo.reshape %[[X]] : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
// CHECK:         %[[SUM:.+]] = stablehlo.reduce(%[[GROUPS]] {{.*}}across dimensions = [1] {{.*}} -> tensor<2x4xf32>
// CHECK:         %[[OWN:.+]] = stablehlo.constant dense<4.000000e+00> : tensor<2x4xf32>
// CHECK:         %[[MEAN:.+]] = stablehlo.divide %[[SUM]], %[[OWN]] : tensor<2x4xf32>
// CHECK:         %[[FIRST:.+]] = stablehlo.select %{{.+}}, %[[MEAN]], %{{.+}}
// CHECK:         %[[STATE:.+]] = stablehlo.reduce(%[[FIRST]] {{.*}}across dimensions = [0]
// CHECK:         %[[SPREAD:.+]] = stablehlo.broadcast_in_dim %[[MEAN]], dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x4x4xf32>
// CHECK:         stablehlo.reshape %[[SPREAD]] : (tensor<2x4x4xf32>) -> tensor<8x4xf32>
// CHECK:         %[[TOTAL:.+]] = stablehlo.reduce({{.*}}across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:         return %{{.+}}, %[[STATE]], %[[TOTAL]]
sdy.mesh @mesh = <["data"=2]>
func.func @centred(%x: tensor<8x4xf32> {partopt.role = "batch"}, %m: tensor<4xf32> {partopt.role = "state", tf.aliasing_output = 1 : i32}) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<8.0> : tensor<4xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %mean = stablehlo.divide %sum, %n : tensor<4xf32>
  %spread = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.subtract %x, %spread : tensor<8x4xf32>
  %total = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y, %mean, %total : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Rows that the devices do not divide have no equal groups.
sdy.mesh @mesh = <["data"=3]>
func.func @uneven(%x: tensor<8x4xf32> {partopt.role = "batch"}) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{but 8 rows go to 3 devices; use --batch-statistics exact}}
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %spread = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.subtract %x, %spread : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A statistic that becomes a parameter would differ between the devices.
sdy.mesh @mesh = <["data"=2]>
func.func @parameter(%x: tensor<8x4xf32> {partopt.role = "batch"}, %w: tensor<4xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32}) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{goes into result 1, which is the new value of an argument of role 'param'}}
  %twice = stablehlo.add %sum, %sum : tensor<4xf32>
  %spread = stablehlo.broadcast_in_dim %twice, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.subtract %x, %spread : tensor<8x4xf32>
  return %y, %twice : tensor<8x4xf32>, tensor<4xf32>
}

// -----

// An op that cannot be done per group.
sdy.mesh @mesh = <["data"=2]>
func.func @sorted(%x: tensor<8x4xf32> {partopt.role = "batch"}) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{'stablehlo.reverse' between a batch statistic and its use has no form for groups of rows}}
  %turned = stablehlo.reverse %sum, dims = [0] : tensor<4xf32>
  %spread = stablehlo.broadcast_in_dim %turned, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.subtract %x, %spread : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
