"""Random training steps in JAX: what users' models are made of, in odd sizes.

A step is a pure function of its seed: blocks (attention in several forms,
MLPs, experts, convolutions, norms), a loss, an optimizer, parameters that are
shared, frozen or unused, recomputation, a scan over layers.
"""
import jax
import jax.numpy as jnp
import numpy


class RandomModel:
    """arguments: a pytree list of NumPy arrays; donated: positions of what the
    step returns renewed; has: what strategies need of a model."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.params, self.has, self.forms = {}, set(), []
        self.d = self.one([8, 12, 16, 20])
        self.batch = self.one([4, 6, 8, 12])
        self.seq = self.one([4, 6, 8, 9])
        self.classes = self.one([5, 16, 33])
        self.tokens = self.chance(0.7)
        self.inputs()
        count = self.one([1, 2, 3])
        if self.chance(0.25):
            self.scanned(count + 1)
        else:
            kinds = [self.one(["attention", "mlp", "gated", "experts", "conv", "shared"])
                     for _ in range(count)]
            for i, kind in enumerate(kinds):
                self.forms.append(getattr(self, kind)(f"{kind}{i}"))
        self.checkpoint = self.chance(0.2)
        self.head()
        self.loss = self.one(["mean", "weighted", "masked", "mse", "sum"])
        self.optimizer = self.one(["sgd", "momentum", "adam", "adamw", "schedule"])
        self.clip = self.one([0, 0, 0.5])
        self.frozen = [n for n in self.params if self.chance(0.08)]
        if self.chance(0.1):
            self.parameter("unused", self.d, 3)

    def one(self, choices):
        return choices[self.random.integers(len(choices))]

    def chance(self, p):
        return self.random.random() < p

    def parameter(self, name, *shape, scale=0.3, offset=0.0):
        self.params[name] = (offset + scale * self.random.standard_normal(shape)).astype(
            numpy.float32)

    # The parts of a model: each makes parameters and returns a function of them.
    def inputs(self):
        if self.tokens:
            self.parameter("tok", self.classes, self.d)
            if self.chance(0.5):
                self.parameter("pos", self.seq, self.d)
        else:
            self.parameter("inp", 7, self.d)

    def norm(self, name):
        kind = self.one(["layer", "rms", "none"])
        if kind != "none":
            self.parameter(name + ".g", self.d, offset=1)
        if kind == "layer":
            self.parameter(name + ".b", self.d)

        def apply(p, x):
            if kind == "none":
                return x
            if kind == "rms":
                return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[name + ".g"]
            mean = x.mean(-1, keepdims=True)
            return ((x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p[name + ".g"]
                    + p[name + ".b"])
        return apply

    def attention(self, name):
        self.has.add("attention")
        heads = self.one([1, 2, 3, 4])
        groups = self.one([g for g in (1, 2, 3) if heads % g == 0])
        width, causal, bias = self.one([4, 5]), self.chance(0.6), self.chance(0.3)
        kv = heads // groups
        norm = self.norm(name + ".norm")
        self.parameter(name + ".q", self.d, heads, width)
        self.parameter(name + ".k", self.d, kv, width)
        self.parameter(name + ".v", self.d, kv, width)
        self.parameter(name + ".o", heads, width, self.d)
        if bias:
            self.parameter(name + ".bias", heads, self.seq, self.seq)

        def apply(p, x):
            h = norm(p, x)
            q = jnp.einsum("bsd,dhk->bshk", h, p[name + ".q"])
            k, v = (jnp.repeat(jnp.einsum("bsd,dhk->bshk", h, p[name + "." + w]), groups, 2)
                    for w in "kv")
            scores = jnp.einsum("bshk,bthk->bhst", q, k) / width ** 0.5
            if bias:
                scores = scores + p[name + ".bias"]
            if causal:
                place = jnp.arange(self.seq)
                scores = jnp.where(place[:, None] >= place, scores, -1e9)
            made = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores, -1), v)
            return x + jnp.einsum("bshk,hkd->bsd", made, p[name + ".o"])
        return apply

    def mlp(self, name):
        inner, bias = self.one([10, 16, 32]), self.chance(0.5)
        act = self.one([jax.nn.relu, jax.nn.gelu, jnp.tanh])
        norm = self.norm(name + ".norm")
        self.parameter(name + ".up", self.d, inner)
        self.parameter(name + ".down", inner, self.d)
        if bias:
            self.parameter(name + ".upb", inner)
            self.parameter(name + ".downb", self.d)

        def apply(p, x):
            h = norm(p, x) @ p[name + ".up"]
            h = act(h + p[name + ".upb"] if bias else h) @ p[name + ".down"]
            return x + (h + p[name + ".downb"] if bias else h)
        return apply

    def gated(self, name):
        inner = self.one([12, 16])
        norm = self.norm(name + ".norm")
        for part in ("gate", "up"):
            self.parameter(f"{name}.{part}", self.d, inner)
        self.parameter(name + ".down", inner, self.d)

        def apply(p, x):
            h = norm(p, x)
            h = jax.nn.silu(h @ p[name + ".gate"]) * (h @ p[name + ".up"])
            return x + h @ p[name + ".down"]
        return apply

    def experts(self, name):
        """Dense dispatch with a limit of tokens."""
        self.has.add("experts")
        experts, inner = self.one([4, 6, 8]), self.one([8, 12])
        self.parameter(name + ".router", self.d, experts)
        self.parameter(name + ".up", experts, self.d, inner)
        self.parameter(name + ".down", experts, inner, self.d)

        def apply(p, x):
            flat = x.reshape(-1, self.d)
            gates = jax.nn.softmax(flat @ p[name + ".router"], -1)
            chosen = jax.nn.one_hot(gates.argmax(-1), experts)
            place = (jnp.cumsum(chosen, 0) - 1) * chosen
            room = max(1, flat.shape[0] // experts)
            sent = chosen[..., None] * jax.nn.one_hot(place.sum(-1), room)[:, None]
            inside = jnp.einsum("tec,td->ecd", sent, flat)
            made = jnp.einsum("ecf,efd->ecd", jax.nn.relu(
                jnp.einsum("ecd,edf->ecf", inside, p[name + ".up"])), p[name + ".down"])
            back = jnp.einsum("tec,ecd->td", sent * (gates * chosen).sum(-1)[:, None, None], made)
            return x + back.reshape(x.shape)
        return apply

    def conv(self, name):
        width = self.one([1, 3])
        self.parameter(name + ".w", width, self.d, self.d, scale=0.1)

        def apply(p, x):
            return x + jax.lax.conv_general_dilated(
                x, p[name + ".w"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
        return apply

    def shared(self, name):
        self.parameter(name + ".w", self.d, self.d)

        def apply(p, x):
            return jnp.tanh(jnp.tanh(x @ p[name + ".w"]) @ p[name + ".w"])
        return apply

    def scanned(self, count):
        """Stacked layers under a scan."""
        before = set(self.params)
        block = getattr(self, self.one(["attention", "mlp", "gated"]))("scan")
        names = [n for n in self.params if n not in before]
        for n in names:
            self.params[n] = numpy.stack([self.params[n] * (1 + 0.01 * i) for i in range(count)])

        def apply(p, x):
            return jax.lax.scan(lambda x, row: (block(row, x), None), x,
                                {n: p[n] for n in names})[0]
        self.forms.append(apply)

    def head(self):
        self.last = self.norm("last")
        self.tied = self.tokens and self.chance(0.5)
        if not self.tied:
            self.parameter("out", self.d, self.classes)

    def loss_of(self, params, x, labels, *weights):
        p = {n: jax.lax.stop_gradient(v) if n in self.frozen else v for n, v in params.items()}
        h = p["tok"][x] if self.tokens else x @ p["inp"]
        h = h + p["pos"] if "pos" in p else h
        for form in self.forms:
            h = (jax.checkpoint(form) if self.checkpoint else form)(p, h)
        scores = self.last(p, h) @ (p["tok"].T if self.tied else p["out"])
        if self.loss == "mse":
            return ((scores - jax.nn.one_hot(labels, self.classes)) ** 2).mean()
        each = -jnp.take_along_axis(jax.nn.log_softmax(scores, -1),
                                    jnp.maximum(labels, 0)[..., None], -1)[..., 0]
        if self.loss == "mean":
            return each.mean()
        if self.loss == "sum":
            return each.sum() / 100
        weight = weights[0] if weights else (labels >= 0).astype(each.dtype)
        return (each * weight).sum() / weight.sum()

    def update(self, params, state, count, grads):
        each = jax.tree.map
        rate = 0.01 * jnp.minimum(1, count / 5.0) if self.optimizer == "schedule" else 0.01
        if self.optimizer in ("sgd", "schedule"):
            return each(lambda p, g: p - rate * g, params, grads), state
        if self.optimizer == "momentum":
            state = {"m": each(lambda m, g: 0.9 * m + g, state["m"], grads)}
            return each(lambda p, m: p - rate * m, params, state["m"]), state
        decay = 0.01 if self.optimizer == "adamw" else 0
        m = each(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
        v = each(lambda v, g: 0.99 * v + 0.01 * g * g, state["v"], grads)
        c1, c2 = 1 - 0.9 ** count, 1 - 0.99 ** count
        params = each(lambda p, m, v: p - rate * (m / c1 / (jnp.sqrt(v / c2) + 1e-3) + decay * p),
                      params, m, v)
        return params, {"m": m, "v": v}

    def step(self, params, state, count, *batch):
        value, grads = jax.value_and_grad(self.loss_of)(params, *batch)
        if self.clip:
            norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(grads)))
            grads = jax.tree.map(lambda g: g * jnp.minimum(1, self.clip / (norm + 1e-6)), grads)
        count = count + 1
        params, state = self.update(params, state, count, grads)
        return params, state, count, value

    def arguments(self):
        shape = (self.batch, self.seq)
        labels = self.random.integers(0, self.classes, shape).astype(numpy.int32)
        if self.loss == "masked":
            labels[self.random.random(shape) < 0.3] = -1
        x = (self.random.integers(0, self.classes, shape).astype(numpy.int32) if self.tokens else
             self.random.standard_normal((*shape, 7)).astype(numpy.float32))
        weights = ([self.random.uniform(0.1, 1, shape).astype(numpy.float32)]
                   if self.loss == "weighted" else [])
        names = {"momentum": "m", "adam": "mv", "adamw": "mv"}.get(self.optimizer, "")
        state = {n: {k: numpy.abs(v) * 0.01 for k, v in self.params.items()} for n in names}
        return [self.params, state, numpy.int32(2), x, labels, *weights]

    donated = (0, 1, 2)
