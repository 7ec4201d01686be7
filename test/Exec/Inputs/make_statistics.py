"""Writes a training step whose hidden values are centred over the whole batch,
and that returns its predictions: make_statistics.py ROWS > model.mlir

In microbatches with --batch-statistics exact it has two loops, values that are
kept between them, and a result of which each iteration writes rows.
"""
import sys


def main():
    n = int(sys.argv[1])
    x, w, h, r = f"tensor<{n}x8xf32>", "tensor<8x8xf32>", f"tensor<{n}x8xf32>", "tensor<8xf32>"
    print(f"""module @statistics {{
  func.func public @main(%w: {w} {{tf.aliasing_output = 0 : i32}} loc("params['w']"), %v: {w} {{tf.aliasing_output = 1 : i32}} loc("params['v']"), %x: {x} loc("batch['x']"), %y: {x} loc("batch['y']")) -> ({w} {{jax.result_info = "w"}}, {w} {{jax.result_info = "v"}}, tensor<f32> {{jax.result_info = "loss"}}, {x} {{jax.result_info = "predictions"}}) {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %part = stablehlo.constant dense<{1 / n}> : {r}
    %scale = stablehlo.constant dense<{0.5 / n}> : {w}
    %lin = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {h}
    %hidden = stablehlo.tanh %lin : {h}
    %sum = stablehlo.reduce(%hidden init: %zero) applies stablehlo.add across dimensions = [0] : ({h}, tensor<f32>) -> {r}
    %mean = stablehlo.multiply %sum, %part : {r}
    %means = stablehlo.broadcast_in_dim %mean, dims = [1] : ({r}) -> {h}
    %centred = stablehlo.subtract %hidden, %means : {h}
    %pred = stablehlo.dot_general %centred, %v, contracting_dims = [1] x [0] : ({h}, {w}) -> {x}
    %d = stablehlo.subtract %pred, %y : {x}
    %dd = stablehlo.multiply %d, %d : {x}
    %loss = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({x}, tensor<f32>) -> tensor<f32>
    %gv = stablehlo.dot_general %centred, %d, contracting_dims = [0] x [0] : ({h}, {x}) -> {w}
    %dc = stablehlo.dot_general %d, %v, contracting_dims = [1] x [1] : ({x}, {w}) -> {h}
    %dsum = stablehlo.reduce(%dc init: %zero) applies stablehlo.add across dimensions = [0] : ({h}, tensor<f32>) -> {r}
    %dmean = stablehlo.multiply %dsum, %part : {r}
    %dmeans = stablehlo.broadcast_in_dim %dmean, dims = [1] : ({r}) -> {h}
    %dh = stablehlo.subtract %dc, %dmeans : {h}
    %squares = stablehlo.multiply %hidden, %hidden : {h}
    %one = stablehlo.constant dense<1.0> : {h}
    %slope = stablehlo.subtract %one, %squares : {h}
    %dlin = stablehlo.multiply %dh, %slope : {h}
    %gw = stablehlo.dot_general %x, %dlin, contracting_dims = [0] x [0] : ({x}, {h}) -> {w}
    %uw = stablehlo.multiply %gw, %scale : {w}
    %uv = stablehlo.multiply %gv, %scale : {w}
    %nw = stablehlo.subtract %w, %uw : {w}
    %nv = stablehlo.subtract %v, %uv : {w}
    return %nw, %nv, %loss, %pred : {w}, {w}, tensor<f32>, {x}
  }}
}}""")


if __name__ == "__main__":
    main()
