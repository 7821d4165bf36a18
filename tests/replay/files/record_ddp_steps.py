#!/usr/bin/env python3
"""Records training steps of PyTorch's DistributedDataParallel with the installed PyTorch, on the processor.

    python3 record_ddp_steps.py STEPS.json [SEED [COUNT]]

adds the steps of this version to the file. ddp_steps.json.xz has 24 settings each (seed 1) of PyTorch 2.5.1, 2.8.0 and
2.12.1, less those that PyTorch refuses: run it once with each, then xz.

Reducer and autograd are PyTorch's own, which rebuild their buckets in the first step; four optimizer steps run.
"""
import contextlib
import random
import sys

import torch
import torch.distributed as dist
import torch.nn.parallel.distributed as ddp

from small_transformer import build, random_model
from step_recording import TYPES, add_steps, fake_ranks, steady_step

# Ranks compare their models through a gather, of which one process has its own part alone.
ddp._verify_param_shape_across_processes = lambda *_, **__: None


def reduce(_, bucket):
    """The reducer's own hook does the same, but the fake backend gives it no result."""
    dist.all_reduce(bucket.buffer())
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def record(c, model_parameters):
    with fake_ranks(c["ranks"]):
        model = build(model_parameters).to(TYPES[c["dtype"]])
        options = {"bucket_cap_mb": c["bucket_cap_mb"]} if "bucket_cap_mb" in c else {}
        wrapped = ddp.DistributedDataParallel(model, find_unused_parameters=c["find_unused_parameters"], **options)
        wrapped.register_comm_hook(None, reduce)

        def micro_step(is_last):
            return contextlib.nullcontext() if is_last else wrapped.no_sync()

        return steady_step(c, wrapped, micro_step, steps=4, first_recorded=2)  # the first steps rebuild the buckets


def random_settings(choose, framework):
    c = {"framework": framework, "ranks": choose.choice([2, 3, 4, 8]), "grad_accum": choose.choice([1, 1, 2, 3]),
         "dtype": choose.choice(["fp32", "bf16", "fp16"]), "find_unused_parameters": choose.random() < 0.2}
    if choose.random() < 0.8:
        c["bucket_cap_mb"] = choose.choice([0.0005, 0.001, 0.002, 0.005, 0.01])
    return c


def draw(seed, count):
    choose = random.Random(seed)
    framework = f"pytorch-ddp-{torch.__version__.split('+')[0]}"
    for _ in range(count):
        yield framework, random_settings(choose, framework), random_model(choose)


if __name__ == "__main__":
    arguments = [int(each) for each in sys.argv[2:]] + [1, 24][len(sys.argv) - 2:]
    add_steps(sys.argv[1], draw(*arguments), record)
