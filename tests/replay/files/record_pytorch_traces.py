#!/usr/bin/env python3
"""Records Kineto traces and execution traces of two ranks with the installed PyTorch, over Gloo on this machine.

    python3 record_pytorch_traces.py pytorch-VERSION.json

writes one JSON object: for each scenario (calls, ddp, fsdp) and each kind of trace (kineto, et) the traces of both
ranks. Only records of collectives and of steps are kept, and the records above them. A scenario that this version
cannot run without a GPU is left out. tests/replay/import/pytorch_recordings_test.cpp says what each scenario calls.
"""
import json
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS = 2
STEPS = 2


def observer():
    import torch.profiler as profiler
    return (profiler.ExecutionTraceObserver if hasattr(profiler, "ExecutionTraceObserver") else
            profiler.ExecutionGraphObserver)()


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 300), torch.nn.ReLU(), torch.nn.Linear(300, 1000),
                               torch.nn.ReLU(), torch.nn.Linear(1000, 5))


def ddp(rank):
    from torch.nn.parallel import DistributedDataParallel
    wrapped = DistributedDataParallel(model(), bucket_cap_mb=0.5)
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)

    def step(_):
        optimizer.zero_grad()
        wrapped(torch.randn(4, 64)).sum().backward()
        optimizer.step()

    return step


def fsdp(rank):
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    wrapped = FullyShardedDataParallel(model(), auto_wrap_policy=ModuleWrapPolicy({torch.nn.Linear}),
                                       device_id=torch.device("cpu"))
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)

    def step(_):
        optimizer.zero_grad()
        wrapped(torch.randn(4, 64)).sum().backward()
        optimizer.step()

    return step


def calls(rank):
    pair = dist.new_group([0, 1])

    def step(_):
        dist.all_reduce(torch.ones(12))
        dist.all_reduce(torch.ones(7, dtype=torch.float64), op=dist.ReduceOp.MAX, group=pair)
        dist.broadcast(torch.ones(9), src=1)
        dist.reduce(torch.ones(11), dst=1)
        blocks = [torch.empty(5, dtype=torch.float16) for _ in range(RANKS)]
        dist.all_gather(blocks, torch.ones(5, dtype=torch.float16))
        dist.all_to_all_single(torch.empty(8), torch.ones(8))
        give = [3, 5] if rank == 0 else [2, 4]
        take = [3, 2] if rank == 0 else [5, 4]
        dist.all_to_all_single(torch.empty(sum(take)), torch.ones(sum(give)), take, give)
        dist.all_to_all_single(torch.empty(sum(take), 10), torch.ones(sum(give), 10), take, give)
        dist.barrier()

    return step


def is_wanted(name):
    return name.startswith(("c10d::", "_c10d_functional::", "gloo:", "record_param_comms", "ProfilerStep", "## process_group"))


def trimmed(trace):
    if "traceEvents" in trace:
        trace["traceEvents"] = [event for event in trace["traceEvents"]
                                if event.get("ph") == "X" and is_wanted(event["name"])]
        return {key: trace[key] for key in ("schemaVersion", "distributedInfo", "traceEvents") if key in trace}
    above = {node["id"]: node for node in trace["nodes"]}
    kept = set()
    for node in trace["nodes"]:
        while is_wanted(node["name"]) or node["id"] in kept:
            kept.add(node["id"])
            parent = node.get("parent", node.get("ctrl_deps"))
            if parent in kept or parent not in above:
                break
            node = above[parent]
            kept.add(node["id"])
    for node in trace["nodes"]:
        if "attrs" in node:
            node["attrs"] = [each for each in node["attrs"] if each["name"] != "op_schema"]
        node.pop("op_schema", None)
        if not is_wanted(node["name"]):
            node.pop("inputs", None), node.pop("outputs", None), node.pop("attrs", None)
    return {"schema": trace["schema"], "nodes": [node for node in trace["nodes"] if node["id"] in kept]}


def one_rank(rank, folder, scenario, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(RANKS))
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    step = globals()[scenario](rank)
    step(0)
    base = os.path.join(folder, f"{scenario}.{rank}")
    trace = observer()
    trace.register_callback(base + ".et.json")
    trace.start()
    step(1)
    trace.stop()
    trace.unregister_callback()
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=STEPS)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule, record_shapes=True,
                                on_trace_ready=lambda p: p.export_chrome_trace(base + ".kineto.json")) as profiler:
        for number in range(1 + STEPS):
            step(number)
            profiler.step()
    dist.barrier()
    dist.destroy_process_group()


def main(file):
    recorded = {"pytorch": torch.__version__}
    with tempfile.TemporaryDirectory() as folder:
        for index, scenario in enumerate(["calls", "ddp", "fsdp"]):
            try:
                mp.spawn(one_rank, (folder, scenario, 29411 + index), nprocs=RANKS)
            except Exception as error:
                print(scenario, str(error).strip().splitlines()[-1], file=sys.stderr)
                continue
            recorded[scenario] = {
                kind: [trimmed(json.load(open(f"{folder}/{scenario}.{rank}.{kind}.json"))) for rank in range(RANKS)]
                for kind in ("kineto", "et")
            }
    with open(file, "w") as out:
        out.write("{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
                                     for key, value in recorded.items()) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
