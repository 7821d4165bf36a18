#!/usr/bin/env python3
"""Records training steps of PyTorch's FSDP and FSDP2 (fully_shard) with the installed PyTorch, on the processor.

    python3 record_fsdp_steps.py STEPS.json [SEED [COUNT]]

adds the steps of this version to the file. fsdp_steps.json.xz has 100 settings each (seed 1) of PyTorch 2.4.1, 2.7.1,
2.9.1 and 2.15.0, and 30 (seed 7) of 2.12.1, less those that PyTorch refuses: run it once with each, then xz.

Sharding, hooks and autograd are PyTorch's own. Three optimizer steps run. PyTorch before 2.6 asks torch.cuda for streams
in fully_shard; they are replaced by idle ones.
"""
import contextlib
import random
import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh

from small_transformer import build, random_model
from step_recording import TYPES, add_steps, fake_ranks, steady_step

VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:3])


class Idle:
    """A stream or an event of a device that does nothing."""

    def __init__(self, *_, **__):
        pass

    def record_event(self, *_):
        return Idle()

    def nothing(self, *_, **__):
        pass

    wait_stream = wait_event = record = synchronize = wait = nothing


if VERSION >= (2, 6, 0):
    from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
else:
    from torch.distributed._composable.fsdp import fully_shard, MixedPrecisionPolicy

if VERSION < (2, 6, 0):
    torch.cuda.Stream = torch.cuda.Event = Idle
    torch.cuda.current_stream = Idle
    torch.cuda.stream = lambda _: contextlib.nullcontext()


def wrapped_fsdp2(model, c):
    degree = c.get("shard_degree", c["ranks"])
    if degree < c["ranks"]:
        mesh = init_device_mesh("cpu", (c["ranks"] // degree, degree), mesh_dim_names=("replicate", "shard"))
    else:
        mesh = init_device_mesh("cpu", (c["ranks"],))
    options = {"mesh": mesh}
    if c["dtype"] != "fp32" or "reduce_dtype" in c:
        options["mp_policy"] = MixedPrecisionPolicy(
            param_dtype=TYPES[c["dtype"]] if c["dtype"] != "fp32" else None,
            reduce_dtype=TYPES[c["reduce_dtype"]] if "reduce_dtype" in c else None)
    if "reshard_after_forward" in c:
        options["reshard_after_forward"] = c["reshard_after_forward"]
    for index, layer in enumerate(model.layers):
        if c.get("recompute"):
            model.layers[index] = layer = checkpoint_wrapper(layer)
        if c.get("wrap", "layers") == "layers":
            fully_shard(layer, **options)
    return fully_shard(model, **options)


def wrapped_fsdp1(model, c):
    from torch.distributed.fsdp import (BackwardPrefetch, FullyShardedDataParallel, MixedPrecision, ShardingStrategy)
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    strategy = {"HYBRID_SHARD_ZERO2": ShardingStrategy._HYBRID_SHARD_ZERO2, **ShardingStrategy.__members__}[
        c["sharding_strategy"]]
    group = None
    if "shard_degree" in c:
        ranks, degree = c["ranks"], c["shard_degree"]
        group = (dist.new_group(list(range(degree))), dist.new_group(list(range(0, ranks, degree))))
    mixed = None
    if c["dtype"] != "fp32" or "reduce_dtype" in c:
        mixed = MixedPrecision(param_dtype=TYPES[c["dtype"]] if c["dtype"] != "fp32" else None,
                               reduce_dtype=TYPES[c["reduce_dtype"]] if "reduce_dtype" in c else None)
    prefetch = {"NO_PREFETCH": None, **BackwardPrefetch.__members__}
    if c.get("recompute"):
        for index, layer in enumerate(model.layers):
            model.layers[index] = checkpoint_wrapper(layer)
    kinds = {type(layer) for layer in model.layers}
    return FullyShardedDataParallel(
        model, process_group=group, sharding_strategy=strategy, mixed_precision=mixed,
        auto_wrap_policy=ModuleWrapPolicy(kinds) if c.get("wrap", "layers") == "layers" else None,
        backward_prefetch=prefetch[c["backward_prefetch"]],
        forward_prefetch=c.get("forward_prefetch", False), use_orig_params=c.get("use_orig_params", False),
        device_id=torch.device("cpu"))


def record(c, model_parameters):
    with fake_ranks(c["ranks"]):
        is_2 = c["framework"] == "pytorch-fsdp2"
        model = build(model_parameters)
        model = (wrapped_fsdp2 if is_2 else wrapped_fsdp1)(model, c)

        def micro_step(is_last):
            syncs = is_last or not c.get("no_sync")
            if is_2:
                model.set_requires_gradient_sync(syncs)
            return contextlib.nullcontext() if is_2 or syncs else model.no_sync()

        def clip():
            if c.get("clip_grad", True):
                (model.clip_grad_norm_(1.0) if not is_2
                 else torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))

        return steady_step(c, model, micro_step, clip, steps=3)


def random_settings(choose, framework):
    c = {"framework": framework, "ranks": choose.choice([2, 3, 4, 6, 8, 12]), "grad_accum": choose.choice([1, 1, 2, 3]),
         "dtype": choose.choice(["fp32", "bf16", "bf16", "fp16"])}
    if c["dtype"] != "fp32" and choose.random() < 0.4:
        c["reduce_dtype"] = choose.choice(["fp32", "bf16" if c["dtype"] == "bf16" else "fp16"])
    if choose.random() < 0.2:
        c["wrap"] = "root"
    if choose.random() < 0.25:
        c["recompute"] = True
    if choose.random() < 0.3:
        c["clip_grad"] = False
    if c["grad_accum"] > 1 and choose.random() < 0.5:
        c["no_sync"] = True
    degrees = [d for d in range(2, c["ranks"]) if c["ranks"] % d == 0]
    if framework == "pytorch-fsdp2":
        if degrees and choose.random() < 0.4:
            c["shard_degree"] = choose.choice(degrees)
        degree = c.get("shard_degree", c["ranks"])
        parts = [d for d in range(2, degree) if degree % d == 0]
        reshard = choose.choice([None, None, True, False, "int"])
        if reshard == "int":
            reshard = choose.choice(parts) if parts else None
        if reshard is not None:
            c["reshard_after_forward"] = reshard
    else:
        strategies = ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD"] + (["HYBRID_SHARD", "HYBRID_SHARD_ZERO2"] * 2 if degrees
                                                                    else [])
        c["sharding_strategy"] = choose.choice(strategies)
        if c["sharding_strategy"].startswith("HYBRID"):
            c["shard_degree"] = choose.choice(degrees)
        c["backward_prefetch"] = choose.choice(["BACKWARD_PRE", "BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"])
        if choose.random() < 0.3:
            c["forward_prefetch"] = True
        if choose.random() < 0.5:
            c["use_orig_params"] = True
    return c


def draw(seed, count):
    choose = random.Random(seed)
    version = ".".join(str(part) for part in VERSION)
    for number in range(count):
        framework = ["pytorch-fsdp2", "pytorch-fsdp"][number % 2]
        c, m = random_settings(choose, framework), random_model(choose)
        yield f"{framework}-{version}", c, m


def main(file, seed=1, count=100):
    add_steps(file, draw(int(seed), int(count)), record)


if __name__ == "__main__":
    main(*sys.argv[1:])
