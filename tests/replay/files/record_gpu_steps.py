#!/usr/bin/env python3
"""Records training steps of PyTorch over NCCL, several ranks on one GPU, for `ringmark-replay import`.

    LD_PRELOAD=libringmark-capture.so RINGMARK_CAPTURE=FOLDER/calls \\
      torchrun --nproc-per-node 2 record_gpu_steps.py ddp|fsdp2|experts|pipeline FOLDER

writes a Kineto trace FOLDER/kineto-RANK.json of the last two of six steps, beside the files of the capture. Ranks call
themselves hosts (NCCL_HOSTID), since NCCL refuses two ranks of a host on one GPU, and talk over sockets on loopback.

    python3 record_gpu_steps.py pack FOLDERS... gpu_steps.json

puts both into one file, by the folders' names. It keeps Kineto's kernels, launches of collectives and marks of steps;
xz compresses the file. gpu_steps.json.xz has the four kinds (experts with --nproc-per-node 4) by PyTorch 2.11 and NCCL
2.28.9 on an H100.
"""
import json
import os
import pathlib
import sys


def reduced(trace):
    wanted = ("Collective name", "In msg nelems", "Out msg nelems", "Group size", "dtype", "In split size",
              "Out split size", "Process Group Name", "Process Group Ranks", "Rank", "Dst Rank", "Src Rank",
              "correlation")
    launched = {event["args"]["correlation"] for event in trace["traceEvents"]
                if event.get("cat") == "kernel" and "Collective name" in event["args"]}
    events = []
    for event in trace["traceEvents"]:
        is_mark = str(event.get("name", "")).startswith("ProfilerStep#")
        is_launch = event.get("cat") in ("cuda_driver", "cuda_runtime") and event["args"].get("correlation") in launched
        if event.get("ph") != "X" or not (is_mark or is_launch or event.get("cat") == "kernel"):
            continue
        args = {key: value for key, value in event.get("args", {}).items() if key in wanted}
        events.append({"ph": "X", "cat": event["cat"], "name": event["name"][:24], "ts": event["ts"],
                       "dur": event["dur"], "args": args})
    return {"distributedInfo": trace["distributedInfo"], "traceEvents": events}


def pack(folders, file):
    steps = {}
    for folder in map(pathlib.Path, folders):
        steps[folder.name] = {
            "captures": [each.read_text().rstrip("\0") for each in sorted(folder.glob("calls/*.capture.jsonl"))],
            "kineto": [reduced(json.loads(each.read_text())) for each in sorted(folder.glob("kineto-*.json"))]}
    pathlib.Path(file).write_text(json.dumps(steps))


if sys.argv[1] == "pack":
    pack(sys.argv[2:-1], sys.argv[-1])
    sys.exit()

RANK = int(os.environ["RANK"])
os.environ.update(NCCL_HOSTID=f"host-{RANK}", NCCL_SOCKET_IFNAME="=lo", NCCL_SOCKET_FAMILY="AF_INET", NCCL_NET="Socket",
                  NCCL_MNNVL_ENABLE="0", NCCL_RAS_ENABLE="0")

import torch
import torch.distributed as dist
import torch.distributed.nn.functional
import torch.nn as nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule

WIDTH, VOCABULARY, SEQUENCE, LAYERS = 512, 4096, 256, 4


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (8, 64)).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).flatten(-2))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Experts(nn.Module):
    """A layer of one expert a rank: tokens travel to the rank of their expert and back, with unequal counts."""

    def __init__(self):
        super().__init__()
        self.router, self.expert = nn.Linear(WIDTH, dist.get_world_size()), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        tokens = x.flatten(0, 1)
        order = torch.sort(self.router(tokens).argmax(-1), stable=True)
        sent = torch.bincount(order.values, minlength=dist.get_world_size())
        received = torch.empty_like(sent)
        dist.all_to_all_single(received, sent)
        sent, received = sent.tolist(), received.tolist()
        there = torch.distributed.nn.functional.all_to_all_single(
            tokens.new_empty(sum(received), WIDTH), tokens[order.indices].contiguous(), received, sent)
        back = torch.distributed.nn.functional.all_to_all_single(
            tokens.new_empty(sum(sent), WIDTH), self.expert(there).contiguous(), sent, received)
        return x + torch.zeros_like(tokens).index_copy(0, order.indices, back).view_as(x)


class Model(nn.Module):
    def __init__(self, has_experts=False):
        super().__init__()
        self.embed, self.head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.experts = nn.ModuleList(Experts() for _ in range(LAYERS if has_experts else 0))

    def forward(self, tokens):
        x = self.embed(tokens)
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if len(self.experts) > 0:
                x = self.experts[i](x)
        return self.head(x)


def loss_of(model, tokens):
    return nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())


def trainer(kind):
    """A function that trains for a step."""
    torch.manual_seed(RANK)
    tokens = torch.randint(0, VOCABULARY, (4, SEQUENCE), device="cuda")
    torch.manual_seed(0)
    if kind == "pipeline":
        return pipeline(tokens)
    with torch.device("cuda"):
        model = Model(has_experts=kind == "experts")
    if kind == "fsdp2":
        for layer in model.layers:
            fully_shard(layer, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
        fully_shard(model, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
    elif kind == "ddp":
        model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step():
        loss_of(model, tokens).backward()
        if kind == "experts":  # all but the experts themselves is the same on all ranks
            for name, parameter in model.named_parameters():
                if "expert." not in name and parameter.grad is not None:
                    dist.all_reduce(parameter.grad)
        optimizer.step()
        optimizer.zero_grad()

    return step


def pipeline(tokens):
    """Stages of two layers: four micro-batches forward, then backward."""
    last, before, after = dist.get_world_size() - 1, RANK - 1, RANK + 1
    with torch.device("cuda"):
        layers = nn.Sequential(Layer(), Layer())
        embed, head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY)
    parameters = [*layers.parameters(), *embed.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, fused=True)

    def step():
        kept = []
        for part in tokens.split(1):
            if RANK == 0:
                x = embed(part)
            else:
                x = torch.empty(1, SEQUENCE, WIDTH, device="cuda")
                dist.recv(x, before)
                x.requires_grad_()
            y = layers(x)
            if RANK < last:
                dist.send(y.detach(), after)
            else:
                y = nn.functional.cross_entropy(head(y).flatten(0, 1), part.flatten())
            kept.append((x, y))
        for x, y in kept:
            if RANK == last:
                y.backward()
            else:
                gradient = torch.empty_like(y)
                dist.recv(gradient, after)
                y.backward(gradient)
            if RANK > 0:
                dist.send(x.grad, before)
        optimizer.step()
        optimizer.zero_grad()

    return step


def main():
    kind, folder = sys.argv[1], sys.argv[2]
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    step = trainer(kind)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=schedule(wait=2, warmup=2, active=2),
                 on_trace_ready=lambda p: p.export_chrome_trace(f"{folder}/kineto-{RANK}.json")) as profiler:
        for _ in range(6):
            step()
            torch.cuda.synchronize()
            profiler.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
