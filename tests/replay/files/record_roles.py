#!/usr/bin/env python3
"""Records steps of ranks with roles by the installed PyTorch over Gloo: a pipeline, tensor parallelism, experts.

    python3 record_roles.py FILE [SCENARIO ...]

writes one JSON object: for each scenario the Kineto traces and the execution traces of all ranks, of which only records
of calls and of steps are kept, and `calls`: by rank what torch.distributed was asked for in the last step, which an
import should find. Pipelines are PyTorch's own schedules. role_steps.json.xz was recorded with PyTorch 2.15.
"""
import contextlib
import json
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from record_pytorch_traces import trimmed

WIDTH, BATCH, STEPS = 32, 8, 3


def all_reduce_both_ways(group):
    """What tensor parallelism does around a block, with sums of activations forwards and of their gradients backwards."""

    class Enter(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, gradient):
            gradient = gradient.contiguous()
            dist.all_reduce(gradient, group=group)
            return gradient

    class Leave(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = x.clone()
            dist.all_reduce(x, group=group)
            return x

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    return Enter.apply, Leave.apply


class Block(torch.nn.Module):
    def __init__(self, group, ranks):
        super().__init__()
        self.enter, self.leave = all_reduce_both_ways(group) if group else (torch.nn.Identity(), torch.nn.Identity())
        self.up = torch.nn.Linear(WIDTH, 4 * WIDTH // ranks)
        self.down = torch.nn.Linear(4 * WIDTH // ranks, WIDTH, bias=False)

    def forward(self, x):
        return x + self.leave(self.down(torch.relu(self.up(self.enter(x)))))


def groups_of(sizes, rank):
    """The groups of each dimension, the first one innermost, and the rank's own ones."""
    own, stride = [], 1
    world = dist.get_world_size()
    for size in sizes:
        for first in range(world):
            if first // stride % size == 0:
                members = [first + i * stride for i in range(size)]
                group = dist.new_group(members)
                if rank in members:
                    mine = group
        own.append(mine)
        stride *= size
    return own


def pipeline(rank, schedule_name, pp, tp=1, dp=1, chunks=1, micro_batches=4):
    from torch.distributed.pipelining import PipelineStage, schedules
    tp_group, dp_group, pp_group = groups_of((tp, dp, pp), rank)
    place = rank // (tp * dp)
    torch.manual_seed(1)
    stages, modules = [], []
    for chunk in range(chunks):
        module = Block(tp_group if tp > 1 else None, tp)
        modules.append(module)
        stages.append(PipelineStage(module, place + chunk * pp, pp * chunks, torch.device("cpu"), group=pp_group))
    schedule = getattr(schedules, schedule_name)
    loss = torch.nn.functional.mse_loss
    run = schedule(stages if chunks > 1 else stages[0], micro_batches, loss_fn=loss)
    last = place == pp - 1

    def step():
        x, target = torch.randn(BATCH, WIDTH), torch.randn(BATCH, WIDTH)
        given = (x,) if place == 0 else ()
        run.step(*given, target=target) if last else run.step(*given)
        if dp > 1:
            for module in modules:
                for parameter in module.parameters():
                    dist.all_reduce(parameter.grad, group=dp_group)
        for module in modules:
            module.zero_grad()

    return step


def dtensor(rank):
    """Tensor parallelism within FSDP2, as torchtitan composes them; functional collectives name their groups."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.ReLU(), torch.nn.Linear(4 * WIDTH, WIDTH))
    parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    fully_shard(model, mesh=mesh["dp"])

    def step():
        model(torch.randn(BATCH, WIDTH)).sum().backward()
        model.zero_grad()

    return step


def experts(rank):
    (group, others) = groups_of((2, 2), rank)
    counts = [[3, 5], [2, 6], [7, 1], [4, 4]]
    pair = rank // 2 * 2

    def step():
        give = counts[rank]
        take = [counts[other][rank - pair] for other in (pair, pair + 1)]
        out = torch.empty(sum(take), WIDTH)
        dist.all_to_all_single(out, torch.ones(sum(give), WIDTH), take, give, group=group)
        back = torch.empty(sum(give), WIDTH)
        dist.all_to_all_single(back, out, give, take, group=group)
        dist.all_reduce(torch.ones(100 + rank % 2), group=others)
        dist.all_reduce(torch.ones(10))

    return step


def messages(rank):
    """Sends that are no pipeline's: a ring in two batches, and a message from the first rank to the last."""
    world = dist.get_world_size()

    def step():
        ops = [dist.P2POp(dist.isend, torch.ones(9), (rank + 1) % world),
               dist.P2POp(dist.irecv, torch.empty(9), (rank - 1) % world)]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        if rank == 0:
            dist.send(torch.ones(7), world - 1)
        if rank == world - 1:
            dist.recv(torch.empty(7), 0)
        dist.all_reduce(torch.ones(5))

    return step


SCENARIOS = {
    "pp2": (2, lambda rank: pipeline(rank, "Schedule1F1B", 2)),
    "pp4": (4, lambda rank: pipeline(rank, "Schedule1F1B", 4)),
    "gpipe": (2, lambda rank: pipeline(rank, "ScheduleGPipe", 2)),
    "interleaved": (2, lambda rank: pipeline(rank, "ScheduleInterleaved1F1B", 2, chunks=2)),
    "tp2_dp2": (4, lambda rank: pipeline(rank, "Schedule1F1B", 1, tp=2, dp=2)),
    "tp2_pp2": (4, lambda rank: pipeline(rank, "Schedule1F1B", 2, tp=2)),
    "tp2_pp2_dp2": (8, lambda rank: pipeline(rank, "Schedule1F1B", 2, tp=2, dp=2)),
    "dtensor": (4, dtensor),
    "experts": (4, experts),
    "messages": (4, messages),
}


@contextlib.contextmanager
def logged(calls, rank):
    """Appends what torch.distributed is asked for, in the words of `ringmark-replay show --calls`."""
    import torch.distributed.distributed_c10d as c10d
    names = {"all_reduce": "all_reduce", "all_to_all_single": "all_to_all", "isend": "send", "irecv": "recv",
             "send": "send", "recv": "recv"}
    kept = {name: getattr(c10d, name) for name in names}
    depth = [0]

    def wrapper(name):
        def call(*args, **kwargs):
            depth[0] += 1
            try:
                result = kept[name](*args, **kwargs)
            finally:
                depth[0] -= 1
            if depth[0] == 0 and calls is not None:
                tensor = args[1] if name == "all_to_all_single" else args[0]
                group = kwargs.get("group") or dist.group.WORLD
                entry = {"op": names[name], "n": tensor.numel(), "ranks": dist.get_process_group_ranks(group)}
                if names[name] in ("send", "recv"):
                    peer = args[1] if len(args) > 1 else kwargs.get("dst", kwargs.get("src"))
                    if peer is None:
                        in_group = kwargs.get("group_dst", kwargs.get("group_src"))
                        peer = dist.get_global_rank(group, in_group)
                    entry["peer"] = peer
                if name == "all_to_all_single" and len(args) > 3:
                    entry["out"] = [rows * WIDTH for rows in args[3]]
                calls.append(entry)
            return result
        return call

    for name in names:
        setattr(c10d, name, wrapper(name))
        setattr(dist, name, getattr(c10d, name))
    try:
        yield
    finally:
        for name in names:
            setattr(c10d, name, kept[name])
            setattr(dist, name, kept[name])


def run(rank, world, scenario, folder, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    calls = []
    with logged(calls, rank):
        step = SCENARIOS[scenario][1](rank)
        step()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                                    schedule=torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=1)) as profile:
            for _ in range(STEPS):
                step()
                profile.step()
        profile.export_chrome_trace(f"{folder}/kineto{rank}.json")
        dist.barrier()
        calls.clear()
        observer = torch.profiler.ExecutionTraceObserver().register_callback(f"{folder}/et{rank}.json")
        observer.start()
        step()
        observer.stop()
        observer.unregister_callback()
    with open(f"{folder}/calls{rank}.json", "w") as out:
        json.dump(calls, out)
    dist.barrier()
    dist.destroy_process_group()


def main():
    os.environ["MASTER_ADDR"], os.environ["GLOO_SOCKET_IFNAME"] = "127.0.0.1", "lo"
    recorded = {"pytorch": torch.__version__}
    for scenario in sys.argv[2:] or SCENARIOS:
        world = SCENARIOS[scenario][0]
        with tempfile.TemporaryDirectory() as folder:
            mp.start_processes(run, (world, scenario, folder, f"{folder}/store"), nprocs=world, start_method="fork")

            def of_ranks(kind):
                return [json.load(open(f"{folder}/{kind}{rank}.json")) for rank in range(world)]

            recorded[scenario] = {"kineto": [trimmed(each) for each in of_ranks("kineto")],
                                  "et": [trimmed(each) for each in of_ranks("et")], "calls": of_ranks("calls")}
        print(scenario, [len(calls) for calls in recorded[scenario]["calls"]], flush=True)
    with open(sys.argv[1], "w") as out:
        json.dump(recorded, out, separators=(",", ":"))


if __name__ == "__main__":
    main()
