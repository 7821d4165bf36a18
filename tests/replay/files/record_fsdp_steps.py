#!/usr/bin/env python3
"""Records training steps of PyTorch's FSDP and FSDP2 (fully_shard) with the installed PyTorch, on the processor.

    python3 record_fsdp_steps.py STEPS.json [SEED [COUNT]]

adds the steps of this version to the file. fsdp_steps.json.xz has 100 settings each (seed 1) of PyTorch 2.4.1, 2.7.1,
2.9.1 and 2.15.0, and 30 (seed 7) of 2.12.1, less those that PyTorch refuses: run it once with each, then xz.

One process stands for rank 0: the process group is PyTorch's own "fake" backend, whose collectives move nothing, while
sharding, hooks and autograd are PyTorch's own. Each collective is taken from the dispatcher. Three optimizer steps run;
the last one is recorded, and it must equal the one before. PyTorch before 2.6 asks torch.cuda for streams in
fully_shard; they are replaced by idle ones.
"""
import contextlib
import json
import os
import random
import sys
import warnings

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

warnings.filterwarnings("ignore")
VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:3])
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


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

try:
    from torch.distributed.tensor import DTensor
except ImportError:
    from torch.distributed._tensor import DTensor


class Layer(nn.Module):
    def __init__(self, m):
        super().__init__()
        norm = nn.LayerNorm if m["norm"] == "layer" else RmsNorm
        d, f = m["width"], m["ffn"]
        self.norm1, self.norm2 = norm(d), norm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=m["bias"]) for _ in range(4))
        if m["adapters"]:
            self.q_a, self.q_b = nn.Linear(d, m["adapters"], bias=False), nn.Linear(m["adapters"], d, bias=False)
        self.up, self.down = nn.Linear(d, f, bias=m["bias"]), nn.Linear(f, d, bias=m["bias"])
        self.adapters = m["adapters"]

    def forward(self, x):
        y = self.norm1(x)
        q = self.q(y)
        if self.adapters:
            q = q + self.q_b(self.q_a(y))
        x = x + self.o(nn.functional.scaled_dot_product_attention(q, self.k(y), self.v(y)))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    ORDER = ("norm1", "q", "q_a", "q_b", "k", "v", "o", "norm2", "up", "down")


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class Transformer(nn.Module):
    def __init__(self, m):
        super().__init__()
        d = m["width"]
        self.embed = nn.Embedding(m["vocabulary"], d)
        self.positions = nn.Embedding(16, d) if m["positions"] else None
        self.layers = nn.ModuleList(Layer(m) for _ in range(m["layers"]))
        self.norm = nn.LayerNorm(d) if m["norm"] == "layer" else RmsNorm(d)
        self.head = nn.Linear(d, m["vocabulary"], bias=False)
        self.recomputes = False  # by torch.utils.checkpoint, which adds no module
        if m["tied"]:
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.recomputes else layer(x)
        return self.head(self.norm(x))


def build(m):
    torch.manual_seed(1)
    model = Transformer(m)
    kept = {"embed": ("embed.", "positions."), "norms": ("norm",), "head": ("head.",), "first": ("layers.0.",),
            "embed_first": ("embed.", "positions.", "layers.0."), "": ()}
    for name, parameter in model.named_parameters():
        if m["frozen"] == "base":
            frozen = "q_a" not in name and "q_b" not in name
        elif m["frozen"] == "norms":
            frozen = "norm" in name
        else:
            frozen = name.startswith(kept[m["frozen"]]) if m["frozen"] else False
        parameter.requires_grad = not frozen
    return model


def describe(model, name):
    """The model description that Ringmark reads."""

    def node(path, module):
        own = [f"{path}.{each}" for each, _ in module.named_parameters(recurse=False)]
        own = ["embed.weight" if tied and each == "head.weight" else each for each in own]
        result = {"name": path, "parameters": own}
        if isinstance(module, nn.Embedding):
            result["differentiable_input"] = False
        return result

    tied = model.head.weight is model.embed.weight
    children = [node("embed", model.embed)]
    if model.positions is not None:
        children.append(node("positions", model.positions))
    for index, layer in enumerate(model.layers):
        path = f"layers.{index}"
        children.append({"name": path, "children": [node(f"{path}.{each}", getattr(layer, each))
                                                    for each in Layer.ORDER if hasattr(layer, each)]})
    children += [node("norm", model.norm), node("head", model.head)]
    parameters = []
    for each, parameter in model.named_parameters():
        parameters.append({"name": each, "shape": list(parameter.shape)})
        if not parameter.requires_grad:
            parameters[-1]["requires_grad"] = False
    return {"name": name, "parameters": parameters,
            "forward": {"name": "model", "differentiable_input": False, "children": children}}


OPS = {"_allgather_base_": "all_gather", "_reduce_scatter_base_": "reduce_scatter", "allreduce_": "all_reduce",
       "all_reduce": "all_reduce", "all_gather_into_tensor": "all_gather", "reduce_scatter_tensor": "reduce_scatter",
       "allgather_": "all_gather"}


class Recorder(TorchDispatchMode):
    """Collectives as [micro-step, phase, op, elements of the full tensor, type, group]."""

    def __init__(self, ranks):
        super().__init__()
        self.ranks, self.events, self.micro_step, self.phase = ranks, [], 0, "fwd"

    def group(self, members):
        if len(members) == self.ranks:
            return "world"
        step = members[1] - members[0] if len(members) > 1 else 1
        assert members == list(range(0, len(members) * step, step)), members
        return f"block {len(members)}" if step == 1 else f"stride {step}"

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(issubclass(each, DTensor) for each in types):
            return NotImplemented  # its own dispatch calls again with the parts
        if func.namespace in ("c10d", "_c10d_functional", "c10d_functional"):
            name = func.__name__.split(".")[0]
            if name in OPS:
                self.add(name, func.namespace, args)
            else:
                assert name in ("wait_tensor", "_wrap_tensor_autograd", "barrier"), name
        return func(*args, **(kwargs or {}))

    def add(self, name, namespace, args):
        op = OPS[name]
        members = None
        for each in args:
            if isinstance(each, torch.ScriptObject):
                with contextlib.suppress(Exception):
                    members = dist.get_process_group_ranks(dist.ProcessGroup.unbox(each))
                    break
        if members is None:
            group = dist.distributed_c10d._resolve_process_group([each for each in args if isinstance(each, str)][-1])
            members = dist.get_process_group_ranks(group)
        tensors = [each for each in args if isinstance(each, (torch.Tensor, list))]
        if name == "allgather_":  # FSDP on the processor: the parts of what is one tensor on a GPU
            tensors = [torch.empty(sum(part.numel() for part in args[0][0]), dtype=args[0][0][0].dtype, device="meta")]
        largest = max((t for each in tensors for t in (each if isinstance(each, list) else [each])),
                      key=lambda t: t.numel())
        elements = largest.numel() * (len(members) if namespace != "c10d" and op == "all_gather" else 1)
        self.events.append([self.micro_step, self.phase, op, elements, str(largest.dtype).split(".")[1],
                            self.group(members)])


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
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=c["ranks"])
    try:
        is_2 = c["framework"] == "pytorch-fsdp2"
        model = build(model_parameters)
        model = (wrapped_fsdp2 if is_2 else wrapped_fsdp1)(model, c)
        optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.0)
        steps = []
        for _ in range(3):
            recorder = Recorder(c["ranks"])
            with recorder:
                for micro_step in range(c["grad_accum"]):
                    recorder.micro_step, recorder.phase = micro_step, "fwd"
                    is_last = micro_step + 1 == c["grad_accum"]
                    syncs = is_last or not c.get("no_sync")
                    with contextlib.nullcontext() if is_2 or syncs else model.no_sync():
                        if is_2:
                            model.set_requires_gradient_sync(syncs)
                        loss = model(torch.zeros(2, 8, dtype=torch.int64)).float().sum()
                        recorder.phase = "bwd"
                        loss.backward()
                recorder.phase = "step"
                if c.get("clip_grad", True):
                    (model.clip_grad_norm_(1.0) if not is_2
                     else torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))
                optimizer.step()
                optimizer.zero_grad()
            steps.append(recorder.events)
        assert steps[-1] == steps[-2], "the step is not steady"
        return steps[-1]
    finally:
        dist.destroy_process_group()


MODEL = {"layers": 3, "width": 16, "ffn": 40, "vocabulary": 37, "norm": "layer", "bias": True, "adapters": 0,
         "positions": True, "tied": False, "frozen": ""}


def random_model(choose):
    frozen = choose.choice(["", "", "", "embed", "norms", "head", "first", "embed_first", "base"])
    return {"layers": choose.randint(1, 5), "width": choose.choice([8, 12, 16]), "ffn": choose.choice([24, 40, 50]),
            "vocabulary": choose.choice([37, 64, 101]), "norm": choose.choice(["layer", "rms"]),
            "bias": choose.random() < 0.5, "adapters": choose.choice([2, 3]) if frozen == "base" else 0,
            "positions": choose.random() < 0.3, "tied": choose.random() < 0.25, "frozen": frozen}


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


def add_steps(file, drawn, record_step):
    """Adds to the file the events of each (framework, settings, model) that is drawn."""
    recorded = {"models": [], "steps": []}
    if os.path.exists(file):
        with open(file) as old:
            recorded = json.load(old)
    names = {json.dumps({**model, "name": ""}): model["name"] for model in recorded["models"]}
    failures = {}
    for framework, c, m in drawn:
        try:
            events = record_step(c, m)
        except Exception as error:  # the framework refuses some of them
            reason = f"{type(error).__name__}: {error}".strip().split("\n")[0][:150]
            failures.setdefault(reason, []).append((c, m))
            continue
        described = describe(build(m), "")
        key = json.dumps(described)
        if key not in names:
            names[key] = f"model{len(names)}"
            recorded["models"].append({**described, "name": names[key]})
        recorded["steps"].append({**c, "framework": framework, "model": names[key], "events": events})
    for reason, each in failures.items():
        print(len(each), "not recorded:", reason, each[0], file=sys.stderr)
    with open(file, "w") as out:
        lists = (f'"{key}":[\n' + ",\n".join(json.dumps(each, separators=(",", ":")) for each in recorded[key]) + "]"
                 for key in recorded)
        out.write("{" + ",\n".join(lists) + "}\n")


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
