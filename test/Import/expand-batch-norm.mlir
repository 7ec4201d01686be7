// RUN: partopt-opt --partopt-expand-batch-norm --split-input-file %s | FileCheck %s

// Statistics are sums over all rows divided by their number.
// CHECK-LABEL: func.func @training
// CHECK:         %[[SUM:.+]] = stablehlo.reduce(%arg0 {{.+}}) applies stablehlo.add across dimensions = [0]
// CHECK-NEXT:    %[[COUNT:.+]] = stablehlo.constant dense<8.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[MEAN:.+]] = stablehlo.divide %[[SUM]], %[[COUNT]] : tensor<3xf32>
// CHECK:         return %{{.+}}, %[[MEAN]], %{{.+}}
func.func @training(%x: tensor<8x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y, %m, %v : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Narrow floats are computed in f32; the result's sharding stays.
// CHECK-LABEL: func.func @inference
// CHECK-COUNT-5: stablehlo.convert
// CHECK:         stablehlo.convert %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"d"}, {}]>]>} : (tensor<8x3xf32>) -> tensor<8x3xbf16>
sdy.mesh @m = <["d"=2]>
func.func @inference(%x: tensor<8x3xbf16>, %s: tensor<3xbf16>, %o: tensor<3xbf16>, %m: tensor<3xbf16>, %v: tensor<3xbf16>) -> tensor<8x3xbf16> {
  %y = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"d"}, {}]>]>} : (tensor<8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<8x3xbf16>
  return %y : tensor<8x3xbf16>
}
