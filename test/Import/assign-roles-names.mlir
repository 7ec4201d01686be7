// RUN: partopt-opt %s -split-input-file -partopt-assign-roles | FileCheck %s
// RUN: partopt-opt %s -split-input-file '-partopt-assign-roles=roles=tokens=state,^arg15$=batch' 2>&1 | FileCheck %s --check-prefix=OVERRIDE

// Names that say what they are, in the forms of JAX, optax, flax and PyTorch.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.name = "params['layers'][0]['w']", partopt.role = "param"
    %0: tensor<4xf32> loc("params['layers'][0]['w']"),
    // CHECK-SAME: partopt.name = "state.params['w']", partopt.role = "param"
    %1: tensor<4xf32> loc("state.params['w']"),
    // CHECK-SAME: partopt.name = "args[0]['layers.0.weight']", partopt.role = "param"
    %2: tensor<4xf32> loc("args[0]['layers.0.weight']"),
    // CHECK-SAME: partopt.name = "opt_state[0].mu['w']", partopt.role = "opt"
    %3: tensor<4xf32> loc("opt_state[0].mu['w']"),
    // CHECK-SAME: partopt.name = "state.opt_state[0].count", partopt.role = "opt"
    %4: tensor<i32> loc("state.opt_state[0].count"),
    // CHECK-SAME: partopt.name = "momentum['params']", partopt.role = "opt"
    %5: tensor<4xf32> loc("momentum['params']"),
    // CHECK-SAME: partopt.name = "variables['batch_stats']['bn']['mean']", partopt.role = "state"
    %6: tensor<4xf32> loc("variables['batch_stats']['bn']['mean']"),
    // CHECK-SAME: partopt.name = "params['bn.running_var']", partopt.role = "state"
    %7: tensor<4xf32> loc("params['bn.running_var']"),
    // CHECK-SAME: partopt.name = "ema_params['w']", partopt.role = "state"
    %8: tensor<4xf32> loc("ema_params['w']"),
    // CHECK-SAME: partopt.name = "rng", partopt.role = "rng"
    %9: tensor<2xui32> loc("rng"),
    // A key that is no key: attention.
    // CHECK-SAME: partopt.name = "key", partopt.role = "batch"
    %10: tensor<8x4xf32> loc("key"),
    // CHECK-SAME: partopt.name = "tokens", partopt.role = "batch"
    // OVERRIDE: partopt.name = "tokens", partopt.role = "state"
    %11: tensor<8xi32> loc("tokens"),
    // CHECK-SAME: partopt.name = "y", partopt.role = "batch"
    %12: tensor<8xi32> loc("y"),
    // Other rows than the batch has.
    // CHECK-SAME: partopt.name = "table", partopt.role = "unknown"
    %13: tensor<3xf32> loc("table"),
    // CHECK-SAME: partopt.name = "lr", partopt.role = "scalar"
    %14: tensor<f32> loc("lr"),
    // A name that is taken falls back to the position.
    // CHECK-SAME: partopt.name = "arg15", partopt.role = "unknown"
    // OVERRIDE-SAME: partopt.name = "arg15", partopt.role = "batch"
    %15: tensor<3xf32> loc("table"),
    // What a file says already stays.
    // CHECK-SAME: partopt.name = "given", partopt.role = "opt"
    %16: tensor<8xf32> {partopt.role = "opt"} loc("given")) {
  return
}
