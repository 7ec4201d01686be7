"""Lowers many small JAX programs and reads each with partopt-opt: the text must
come back byte for byte, in the pretty and in the generic form.
"""
import os
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

X = jnp.zeros((4, 8))
B = jnp.zeros((4, 8), bool)
I = jnp.zeros(6, jnp.int32)
U = jnp.zeros(4, jnp.uint32)
C = jnp.zeros((4, 8), jnp.complex64)
IMAGE = jnp.zeros((2, 8, 8, 4))
KERNEL = jnp.zeros((3, 3, 4, 6))
Auto = jax.sharding.AxisType.Auto
mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(Auto, Auto))
explicit = jax.make_mesh((2, 4), ("data", "model"))


def conv(strides, padding, **kw):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lambda x, k: lax.conv_general_dilated(x, k, strides, padding, dimension_numbers=numbers, **kw)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def scan(x):
    return lax.scan(lambda c, r: (c + r, c * r), x[0], x)


def manual(body, out):
    return jax.shard_map(body, mesh=mesh, in_specs=P("data", "model"), out_specs=out, check_vma=False)


def constrained(x):
    sharding = jax.sharding.NamedSharding(mesh, P("data", None))
    return lax.with_sharding_constraint(x * 2, sharding)


def ring(axis, n):
    return [(i, (i + 1) % n) for i in range(n)]


unary = ["abs", "cbrt", "ceil", "cos", "exp", "expm1", "floor", "is_finite", "log", "log1p", "logistic", "neg",
         "round", "rsqrt", "sign", "sin", "sqrt", "tan", "tanh", "acos", "acosh", "asin", "asinh", "atan", "atanh",
         "bessel_i0e", "bessel_i1e", "cosh", "digamma", "erf", "erfc", "erf_inv", "lgamma", "sinh", "square"]
binary = ["add", "sub", "mul", "div", "max", "min", "pow", "rem", "atan2", "nextafter", "eq", "ne", "lt", "le", "gt",
          "ge", "complex", "zeta", "polygamma"]
programs = {name: (getattr(lax, name), X) for name in unary}
programs |= {name: (getattr(lax, name), X, X) for name in binary}
programs |= {name: (getattr(lax, name), I) for name in ("bitwise_not", "population_count", "clz", "abs")}
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right_arithmetic", "shift_right_logical",
             "div", "rem", "lt"):
    programs["int " + name] = (getattr(lax, name), I, I)
    programs["uint " + name] = (getattr(lax, name), U, U)
for kind in ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
             "float8_e5m2fnuz", "int4", "uint4", "int8", "uint8", "int16", "uint16", "bool", "complex64", "int2"):
    programs["to " + kind] = (lambda x, kind=kind: x.astype(kind) if kind != "bool" else x > 0, X)
programs |= {
    "accurate": (lambda x: lax.exp(x, accuracy=lax.Tolerance(1e-3, 1e-5, 3)), X),
    "highest": (lambda x: lax.tanh(x, accuracy=lax.AccuracyMode.HIGHEST), X),
    "clamp": (lambda x: (lax.clamp(x[0, 0], x, x[1, 1]), jnp.clip(x, 0, 1)), X),
    "select": (lambda b, x: (jnp.where(b, x, 0), lax.select(b[0, 0], x, x)), B, X),
    "complex": (lambda c: (jnp.real(c), jnp.imag(c), abs(c), jnp.conj(c), c == c, lax.exp(c)), C),
    "argmax": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), X),
    "reduce": (lambda x, b: (x.sum(), x.max(1), x.prod(0), b.any(), b.all(1), x.min()), X, B),
    "two": (lambda x: lax.reduce((x, x), (0., 1.), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)), X),
    "swapped": (lambda x: lax.reduce(x, 0., lambda a, b: lax.max(b, a), (0,)), X),
    "while": (lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)), X),
    "scan": (scan, X),
    "scan gradient": (jax.grad(lambda x: scan(x)[1].sum()), X),
    "cond": (lambda x: lax.cond(x[0, 0] > 0, lambda y: y + 1, lambda y: y * 2, x), X),
    "switch": (lambda i, x: lax.switch(i[0], [lambda y: y, jnp.sin, jnp.cos], x), I, X),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.sort((x, x), num_keys=2)), X),
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "approx": (lambda x: lax.approx_max_k(x, 2), X),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), lax.cummax(x), lax.cumprod(x), lax.cumlogsumexp(x)), X),
    "index": (lambda x, i: (x[i], x[:, i], x[1:3, ::2], x.at[i].add(1.), x.at[0, 1].set(3.)), X, I),
    "take": (lambda x, i: jnp.take_along_axis(x, i[None, :4].T, 1), X, I),
    "take gradient": (jax.grad(lambda x: jnp.take(x, jnp.array([0, 2]), 0).sum()), X),
    "dynamic": (lambda x, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i[0], i[1]), (2, 3)), (i[0], 0)), X, I),
    "scalar slice": (lambda x: lax.dynamic_slice_p.bind(x, slice_sizes=()), jnp.float32(1)),
    "shapes": (lambda x: (x.T, x.reshape(2, 16), jnp.flip(x), jnp.concatenate([x, x], 1), jnp.pad(x, 1), x[None],
                          lax.pad(x, 0., ((1, -1, 0), (0, 2, 1))), jnp.tile(x, (2, 1)), jnp.roll(x, 1)), X),
    "iota": (lambda: (jnp.arange(8), jnp.arange(8.), jnp.eye(4)),),
    "bits": (lambda x: lax.bitcast_convert_type(x, jnp.int8), X),
    "precision": (lambda x: lax.reduce_precision(x, 8, 7), X),
    "dots": (lambda x: (x @ x.T, jnp.einsum("ij,ij->i", x, x), jnp.einsum("ij,kl->ijkl", x, x), x.ravel() @ x.ravel(),
                        jnp.matmul(x, x.T, precision="highest"),
                        jnp.einsum("ij,kj->ik", x, x, precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3)), X),
    "wide dot": (lambda x: lax.dot(x, x.T, preferred_element_type=jnp.float32), X.astype(jnp.bfloat16)),
    "ragged": (lambda x: lax.ragged_dot(x, jnp.zeros((2, 8, 3)), jnp.array([2, 2])), X),
    "conv": (conv((1, 1), "SAME"), IMAGE, KERNEL),
    "strided conv": (jax.grad(lambda x, k: conv((2, 2), "SAME")(x, k).sum(), (0, 1)), IMAGE, KERNEL),
    "grouped conv": (jax.grad(lambda x, k: conv((1, 1), "VALID", feature_group_count=2)(x, k).sum(), (0, 1)),
                     IMAGE, KERNEL[:, :, :2]),
    "dilated conv": (conv((1, 1), ((2, 2), (1, 2)), rhs_dilation=(2, 2), lhs_dilation=(2, 1)), IMAGE, KERNEL),
    "pool": (pool, IMAGE),
    "pool gradient": (jax.grad(lambda x: pool(x).sum()), IMAGE),
    "fft": (lambda x: (jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fft2(x), jnp.fft.ifft(x)), X),
    "linalg": (lambda x: (jnp.linalg.cholesky(x @ x.T), jnp.linalg.qr(x), jnp.linalg.solve(x @ x.T, x)), X),
    "triangular": (lambda x: lax.linalg.triangular_solve(x @ x.T, x, left_side=True), X),
    "random": (lambda k: (jax.random.normal(k, (4, 8)), jax.random.randint(k, (5,), 0, 9), jax.random.split(k),
                          jax.random.bernoulli(k), jax.random.categorical(k, X), jax.random.permutation(k, 8)),
               jax.random.PRNGKey(0)),
    "rbg": (lambda k: jax.random.uniform(k, (4,)), jax.random.key(0, impl="rbg")),
    "rng": (lambda k: (lax.rng_uniform(0., 1., (3,)), lax.rng_bit_generator(k, (4,))), U),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.cos(y)))(x).sum()), X),
    "barrier": (lambda x: lax.optimization_barrier((x, x)), X),
    "softmax": (jax.grad(lambda x: jax.nn.log_softmax(jax.nn.gelu(x)).sum()), X),
    "composite": (lambda x: lax.composite(lambda y: y * 2, "test.twice", version=1)(x), X),
    "print": (lambda x: jax.debug.print("{}", x), X),
    "special": (lambda x: (jax.scipy.special.betainc(x, x, x), lax.igamma(x, x), lax.random_gamma_grad(x, x)), X),
    "constants": (lambda: (jnp.array([1.5, -0.0, jnp.inf, jnp.nan]), jnp.array([[1, 2], [3, 4]], jnp.uint8),
                           jnp.array([True, False]), jnp.array([1 + 2j]), jnp.array([], jnp.float32),
                           jnp.array([1.5], jnp.bfloat16), jnp.array([0.1], jnp.float8_e4m3fn)),),
    "constraint": (constrained, X),
    "explicit": (lambda x: jnp.where(x > 0, x, 1.).sum(0), jax.device_put(X, jax.NamedSharding(explicit, P("data")))),
    "psum": (manual(lambda x: lax.psum(x, "model"), P("data")), X),
    "pmax": (manual(lambda x: (lax.pmax(x, ("data", "model")), lax.pmean(x, "data")), P()), X),
    "all_gather": (manual(lambda x: lax.all_gather(x, "model", axis=1, tiled=True), P("data")), X),
    "reduce_scatter": (manual(lambda x: lax.psum_scatter(x, "data", tiled=True), P("data", "model")), X),
    "all_to_all": (manual(lambda x: lax.all_to_all(x, "data", 1, 0, tiled=True), P("data", "model")), X),
    "permute": (manual(lambda x: lax.ppermute(x, "model", ring("model", 4)), P("data", "model")), X),
    "axis_index": (manual(lambda x: x + lax.axis_index("model"), P("data", "model")), X),
}


def opt(text, *flags):
    done = subprocess.run(["partopt-opt", *flags], input=text.encode(), capture_output=True)
    return done.stdout.decode() if not done.returncode else done.stderr.decode()


bad = 0
for name, (function, *arguments) in programs.items():
    lowered = jax.jit(function).lower(*arguments)
    generic = lowered.compiler_ir().operation.get_asm(print_generic_op_form=True)
    for form, text, flags in (("pretty", lowered.as_text(), ()), ("generic", generic, ("--mlir-print-op-generic",))):
        back = opt(text, *flags)
        if back.rstrip("\n") == text.rstrip("\n"):
            continue
        bad += 1
        lines = [pair for pair in zip(text.split("\n"), back.split("\n")) if pair[0] != pair[1]]
        print(f"{name}, {form}:", *(lines or [(text, back)])[0], sep="\n  ")
print(f"{len(programs)} programs, {bad} texts differ")
sys.exit(bad != 0)
