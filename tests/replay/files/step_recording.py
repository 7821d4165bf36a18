"""Records a training step's collectives in one process, on the processor.

It stands for rank 0: the process group is PyTorch's own "fake" backend, whose collectives move nothing. Each collective
is taken from the dispatcher. Several optimizer steps run; the last one is recorded, and it must equal the one before.
"""
import contextlib
import json
import os
import sys
import warnings

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

from small_transformer import build, describe

try:
    from torch.distributed.tensor import DTensor
except ImportError:
    from torch.distributed._tensor import DTensor

warnings.filterwarnings("ignore")
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
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


@contextlib.contextmanager
def fake_ranks(ranks):
    """This process is rank 0 of so many."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=ranks)
    try:
        yield
    finally:
        dist.destroy_process_group()


def steady_step(c, model, micro_step, before_optimizer=lambda: None, *, steps, first_recorded=0):
    """The events of the last of so many steps. `micro_step(is_last)` is the context in which a micro-step runs."""
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.0)
    recorded = []
    for step in range(steps):
        recorder = Recorder(c["ranks"])
        with recorder if step >= first_recorded else contextlib.nullcontext():
            for number in range(c["grad_accum"]):
                recorder.micro_step, recorder.phase = number, "fwd"
                with micro_step(number + 1 == c["grad_accum"]):
                    loss = model(torch.zeros(2, 8, dtype=torch.int64)).float().sum()
                    recorder.phase = "bwd"
                    loss.backward()
            recorder.phase = "step"
            before_optimizer()
            optimizer.step()
            optimizer.zero_grad()
        recorded.append(recorder.events)
    assert recorded[-1] == recorded[-2], "the step is not steady"
    return recorded[-1]


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
