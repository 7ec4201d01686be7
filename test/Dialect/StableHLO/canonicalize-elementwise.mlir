// Identities that hold for every value, and arithmetic on two splats. What is
// not exact stays.
// RUN: partopt-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neutral_integers
func.func @neutral_integers(%arg0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<4xi32>
  %0 = stablehlo.add %zero, %arg0 : tensor<4xi32>
  %1 = stablehlo.subtract %arg0, %zero : tensor<4xi32>
  %2 = stablehlo.multiply %arg0, %one : tensor<4xi32>
  %3 = stablehlo.divide %arg0, %one : tensor<4xi32>
  // CHECK: return %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @neutral_floats
func.func @neutral_floats(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.add %arg0, %minus_zero : tensor<4xf32>
  %1 = stablehlo.subtract %arg0, %zero : tensor<4xf32>
  %2 = stablehlo.multiply %one, %arg0 : tensor<4xf32>
  %3 = stablehlo.divide %arg0, %one : tensor<4xf32>
  // CHECK: return %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// x + 0.0 makes -0.0 positive, x - -0.0 too; x * 0.0 may be -0.0 or NaN.
// CHECK-LABEL: func.func @not_neutral
func.func @not_neutral(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  // CHECK: stablehlo.add %arg0
  %0 = stablehlo.add %arg0, %zero : tensor<4xf32>
  // CHECK: stablehlo.subtract %arg0
  %1 = stablehlo.subtract %arg0, %minus_zero : tensor<4xf32>
  // CHECK: stablehlo.multiply %arg0
  %2 = stablehlo.multiply %arg0, %zero : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @logic
func.func @logic(%arg0: tensor<4xui8>, %arg1: tensor<i1>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<i1>, tensor<i1>) {
  %zero = stablehlo.constant dense<0> : tensor<4xui8>
  %all = stablehlo.constant dense<255> : tensor<4xui8>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.and %arg0, %all : tensor<4xui8>
  %1 = stablehlo.or %arg0, %zero : tensor<4xui8>
  %2 = stablehlo.xor %arg0, %zero : tensor<4xui8>
  %3 = stablehlo.and %arg1, %false : tensor<i1>
  %4 = stablehlo.not %arg1 : tensor<i1>
  %5 = stablehlo.not %4 : tensor<i1>
  // CHECK: %[[FALSE:.+]] = stablehlo.constant dense<false>
  // CHECK: return %arg0, %arg0, %arg0, %[[FALSE]], %arg1
  return %0, %1, %2, %3, %5 : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: func.func @splats
func.func @splats() -> (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>, tensor<2xui32>, tensor<2xi32>, tensor<2xui32>) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %minus = stablehlo.constant dense<-7> : tensor<2xi32>
  %int_two = stablehlo.constant dense<2> : tensor<2xi32>
  %large = stablehlo.constant dense<4294967295> : tensor<2xui32>
  %small = stablehlo.constant dense<1> : tensor<2xui32>
  // CHECK-DAG: %[[SIX:.+]] = stablehlo.constant dense<6.000000e+00> : tensor<4xf32>
  %0 = stablehlo.multiply %two, %three : tensor<4xf32>
  // CHECK-DAG: %[[NEGATED:.+]] = stablehlo.constant dense<-2.000000e+00> : tensor<4xf32>
  %1 = stablehlo.negate %two : tensor<4xf32>
  // CHECK-DAG: %[[QUOTIENT:.+]] = stablehlo.constant dense<-3> : tensor<2xi32>
  %2 = stablehlo.divide %minus, %int_two : tensor<2xi32>
  // CHECK-DAG: %[[UNSIGNED_MAX:.+]] = stablehlo.constant dense<4294967295> : tensor<2xui32>
  %3 = stablehlo.maximum %large, %small : tensor<2xui32>
  // CHECK-DAG: %[[SIGNED_MIN:.+]] = stablehlo.constant dense<-7> : tensor<2xi32>
  %4 = stablehlo.minimum %minus, %int_two : tensor<2xi32>
  // CHECK-DAG: %[[WRAPPED:.+]] = stablehlo.constant dense<0> : tensor<2xui32>
  %5 = stablehlo.add %large, %small : tensor<2xui32>
  // CHECK: return %[[SIX]], %[[NEGATED]], %[[QUOTIENT]], %[[UNSIGNED_MAX]], %[[SIGNED_MIN]], %[[WRAPPED]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<2xi32>, tensor<2xui32>, tensor<2xi32>, tensor<2xui32>
}

// No defined integer, or a NaN whose bits depend on the machine.
// CHECK-LABEL: func.func @undefined
func.func @undefined() -> (tensor<i32>, tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<f32>
  // CHECK: stablehlo.divide
  %0 = stablehlo.divide %least, %zero : tensor<i32>
  // CHECK: stablehlo.divide
  %1 = stablehlo.divide %least, %minus : tensor<i32>
  // CHECK: stablehlo.subtract
  %2 = stablehlo.subtract %infinity, %infinity : tensor<f32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<f32>
}

// Only splats: a constant of many values is never computed with.
// CHECK-LABEL: func.func @no_splat
func.func @no_splat() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: stablehlo.add
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @selections
func.func @selections(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.select %true, %arg0, %arg1 : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.select %false, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %arg2, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
  // CHECK: return %arg0, %arg1, %arg0
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<bf16>, tensor<f32>, tensor<i8>, tensor<i1>, tensor<ui32>, tensor<i8>) {
  %third = stablehlo.constant dense<0.33333> : tensor<f32>
  %large = stablehlo.constant dense<300.7> : tensor<f32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.convert %arg0 : tensor<4xf32>
  // CHECK-DAG: %[[NARROW:.+]] = stablehlo.constant dense<3.339840e-01> : tensor<bf16>
  %1 = stablehlo.convert %third : (tensor<f32>) -> tensor<bf16>
  // CHECK-DAG: %[[ONE:.+]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.convert %true : (tensor<i1>) -> tensor<f32>
  // CHECK-DAG: %[[ZERO:.+]] = stablehlo.constant dense<0> : tensor<i8>
  %3 = stablehlo.convert %third : (tensor<f32>) -> tensor<i8>
  // CHECK-DAG: %[[TRUE:.+]] = stablehlo.constant dense<true> : tensor<i1>
  %4 = stablehlo.convert %minus : (tensor<i32>) -> tensor<i1>
  // CHECK-DAG: %[[UNSIGNED:.+]] = stablehlo.constant dense<4294967295> : tensor<ui32>
  %5 = stablehlo.convert %minus : (tensor<i32>) -> tensor<ui32>
  // The value does not fit: what comes out is the machine's business.
  // CHECK: %[[KEPT:.+]] = stablehlo.convert %{{.+}} : (tensor<f32>) -> tensor<i8>
  %6 = stablehlo.convert %large : (tensor<f32>) -> tensor<i8>
  // CHECK: return %arg0, %[[NARROW]], %[[ONE]], %[[ZERO]], %[[TRUE]], %[[UNSIGNED]], %[[KEPT]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<bf16>, tensor<f32>, tensor<i8>, tensor<i1>, tensor<ui32>, tensor<i8>
}

// An op that carries a sharding or a hint stays.
// CHECK-LABEL: func.func @annotated
func.func @annotated(%arg0: tensor<4xi32>) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  // CHECK: stablehlo.add %arg0, %{{.+}} {mhlo.note = "kept"}
  %0 = stablehlo.add %arg0, %zero {mhlo.note = "kept"} : tensor<4xi32>
  return %0 : tensor<4xi32>
}
