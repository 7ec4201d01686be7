// --carry by names and by numbers, and what it refuses.
// RUN: partopt-opt %s '-partopt-assign-roles=carries=a=new_a,arg1=none' | FileCheck %s
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=c=new_a' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=a=out7' 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=a=out1' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=a=out0,b=out0' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=a=0,a=none' 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: partopt-opt %s '-partopt-assign-roles=carries=0=0,1=none' | FileCheck %s
// RUN: not partopt-opt %s '-partopt-assign-roles=carries=d=out0' 2>&1 | FileCheck %s --check-prefix=DONATED

// CHECK: "a", partopt.next_result = 0 : i32, partopt.next_result_reason = "--carry"
// CHECK-SAME: "b", partopt.next_result = -1 : i32, partopt.next_result_reason = "--carry"
// CHECK-SAME: "d", partopt.next_result = 2 : i32, partopt.next_result_reason = "donated"
// ARGUMENT: error: --carry 'c=new_a': @main has no argument 'c'; give its name, or arg0 to arg2
// RESULT: error: --carry 'a=out7': @main has no result 'out7'; give its name, out0 to out2, or none
// TYPE: error: {{.*}}argument 0 ('a') of type 'tensor<4xf32>' is to become result 1 of type 'tensor<8xf32>'
// TWICE: error: {{.*}}argument 0 ('a') and argument 1 ('b') have one next value, result 0
// AGAIN: error: --carry 'a=none': argument 0 ('a') has its next value from another --carry
// DONATED: error: {{.*}}argument 2 ('d') is donated to result 2, so --carry cannot give it another next value
func.func @main(%a: tensor<4xf32> loc("a"), %b: tensor<4xf32> loc("b"), %d: tensor<4xf32> {tf.aliasing_output = 2 : i32} loc("d"))
    -> (tensor<4xf32> {jax.result_info = "new_a"}, tensor<8xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0, %1, %d : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>
}
