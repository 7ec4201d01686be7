"""One rank of PyTorch's side of peers.py: a GPT of utils/gpt_model.py's plain form
with DistributedDataParallel or FSDP2 over gloo. Rank 0 prints one line of JSON.

usage: peers_torch.py ddp|fsdp RANK RANKS PORT INPUTS SIZES STEPS
INPUTS holds the arrays as export_gpt.py names them, SIZES is the form as JSON.
"""
import json
import os
import resource
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn


class Block(nn.Module):
    def __init__(self, arrays, heads):
        super().__init__()
        self.heads = heads
        (self.down, self.downb, self.ln1b, self.ln1g, self.ln2b, self.ln2g, self.o, self.qkv,
         self.up, self.upb) = (nn.Parameter(a) for a in arrays)

    def forward(self, x):
        batch, seq, d = x.shape
        size = (d,)
        y = F.layer_norm(x, size, self.ln1g, self.ln1b)
        q, k, v = (y @ self.qkv.reshape(d, -1)).view(batch, seq, 3, self.heads, -1).permute(
            2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + y.transpose(1, 2).reshape(batch, seq, -1) @ self.o.reshape(-1, d)
        y = F.layer_norm(x, size, self.ln2g, self.ln2b)
        return x + F.gelu(y @ self.up + self.upb, approximate="tanh") @ self.down + self.downb


class Gpt(nn.Module):
    def __init__(self, arrays, layers, heads):
        super().__init__()
        self.blocks = nn.ModuleList(Block(arrays[10 * i:10 * i + 10], heads)
                                    for i in range(layers))
        self.lnb, self.lng, self.pos, self.tok = (nn.Parameter(a)
                                                  for a in arrays[10 * layers:10 * layers + 4])

    def forward(self, tokens, labels):
        x = F.embedding(tokens, self.tok) + self.pos
        for block in self.blocks:
            x = block(x)
        x = F.layer_norm(x, self.lng.shape, self.lng, self.lnb)
        return F.cross_entropy((x @ self.tok.t()).flatten(0, 1), labels.flatten())


def wrap(kind, model, ranks):
    if kind == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh("cpu", (ranks,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def main(kind, rank, ranks, port, inputs, sizes, steps):
    rank, ranks, sizes, steps = int(rank), int(ranks), json.loads(sizes), int(steps)
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    arrays = load_file(inputs)
    count = 10 * sizes["layers"] + 4
    parameters = [arrays[f"arg{i}"] for i in range(count)]
    tokens, labels = (arrays[f"arg{3 * count + 1 + i}"].long().chunk(ranks)[rank] for i in (0, 1))
    model = wrap(kind, Gpt(parameters, sizes["layers"], sizes["heads"]), ranks)
    del arrays, parameters
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
    seconds, losses = [], []
    for _ in range(steps):
        dist.barrier()
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = model(tokens, labels)
        loss.backward()
        optimizer.step()
        dist.barrier()
        seconds.append(time.perf_counter() - begin)
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        losses.append(float(mean) / ranks)
    peak = torch.tensor(float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
    dist.all_reduce(peak, dist.ReduceOp.MAX)
    if rank == 0:
        print(json.dumps({"step_s": seconds, "losses": losses,
                          "peak_bytes_per_rank": float(peak) * 1024,
                          "version": torch.__version__}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
