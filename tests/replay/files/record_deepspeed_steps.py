#!/usr/bin/env python3
"""Records training steps of the installed DeepSpeed (ZeRO 0 to 3 and ZeRO++) on the processor.

    python3 record_deepspeed_steps.py STEPS.json [SEED [COUNT [COUNT_OF_ZERO_PLUS_PLUS]]]

adds the steps of this version to the file: of COUNT random settings, and of further ones with ZeRO++, by default an
eighth of COUNT. deepspeed_steps.json.xz has those of `1 110` and of `2 0 24`, of DeepSpeed 0.19.8 over PyTorch 2.8.0,
less those that DeepSpeed refuses.

One process stands for rank 0: the process group is PyTorch's "fake" backend. Engine, hooks, partitioning and the
coordinator of fetches are DeepSpeed's own. torch.distributed's functions are replaced by ones that note each call and
give every rank this rank's data, so that weights stay finite. ZeRO++'s quantizer is a CUDA kernel; here its stand-in
makes tensors of the same shapes. Four optimizer steps run; the last one is recorded, and it must equal the one before.
"""
import json
import os
import random
import sys
import types
import warnings

warnings.filterwarnings("ignore")
os.environ.update(DS_ACCELERATOR="cpu", RANK="0", LOCAL_RANK="0", DEEPSPEED_LOG_LEVEL="error")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: E402

from small_transformer import Layer, build, random_model  # noqa: E402
from step_recording import add_steps  # noqa: E402


class Recorder:
    """Collectives as [micro-step, phase, op, elements of the full tensor, type, group, asynchronous(, root)]."""

    def __init__(self):
        self.events, self.micro_step, self.phase, self.ranks, self.is_on = [], 0, "fwd", 1, False

    def group(self, group):
        members = dist.get_process_group_ranks(group if group is not None else dist.group.WORLD)
        if len(members) == self.ranks:
            return "world"
        step = members[1] - members[0] if len(members) > 1 else 1
        assert members == list(range(0, len(members) * step, step)), members
        return f"block {len(members)}" if step == 1 else f"stride {step}"

    def add(self, op, tensor, group, is_async, root=None):
        if not self.is_on:
            return
        event = [self.micro_step, self.phase, op, tensor.numel(), str(tensor.dtype).split(".")[1], self.group(group),
                 bool(is_async)]
        self.events.append(event if root is None else event + [root])


recorder = Recorder()


class Done:
    def wait(self, *_, **__):
        return True

    def is_completed(self):
        return True


def answer(is_async):
    return Done() if is_async else None


def all_reduce(tensor, op=None, group=None, async_op=False):
    recorder.add("all_reduce", tensor, group, async_op)
    return answer(async_op)


def reduce(tensor, dst=None, op=None, group=None, async_op=False, **_):
    recorder.add("reduce", tensor, group, async_op, dst)
    return answer(async_op)


def broadcast(tensor, src=None, group=None, async_op=False, **_):
    recorder.add("broadcast", tensor, group, async_op, src)
    return answer(async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    recorder.add("all_gather", output_tensor, group, async_op)
    output_tensor.view(-1).copy_(input_tensor.reshape(-1).repeat(output_tensor.numel() // input_tensor.numel()))
    return answer(async_op)


def reduce_scatter_tensor(output, input, op=None, group=None, async_op=False):
    recorder.add("reduce_scatter", input, group, async_op)
    output.view(-1).copy_(input.reshape(-1)[:output.numel()])
    return answer(async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    recorder.add("all_to_all", input, group, async_op)
    output.copy_(input)
    return answer(async_op)


def refused(name):
    def call(*_, **__):
        if recorder.is_on:
            raise NotImplementedError(f"the step calls {name}")
        return None

    return call


for replaced in (all_reduce, reduce, broadcast, all_gather_into_tensor, reduce_scatter_tensor, all_to_all_single):
    setattr(dist, replaced.__name__, replaced)
for name in ("all_gather", "gather", "scatter", "all_to_all", "all_reduce_coalesced", "all_gather_coalesced",
             "reduce_scatter", "all_gather_object", "broadcast_object_list"):
    setattr(dist, name, refused(name))
dist.barrier = lambda *_, **__: None

import deepspeed  # noqa: E402
import deepspeed.comm as ds_comm  # noqa: E402
from deepspeed.ops import op_builder  # noqa: E402


# Its collectives through shared memory would be compiled first.
sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None
accelerator = deepspeed.accelerator.get_accelerator()
accelerator.is_fp16_supported = lambda: True


class Quantizer:
    """Shapes of DeepSpeed's quantization kernels (csrc/quantization)."""

    Symmetric = 0

    def quantize(self, tensor, groups, bits, _):
        return torch.zeros(tensor.numel() * bits // 8, dtype=torch.int8), torch.ones(groups)

    def dequantize(self, tensor, scales, groups, bits, _):
        shape = tensor.shape if bits == 8 else (tensor.numel() * 8 // bits,)
        return torch.zeros(shape, dtype=torch.half)

    def swizzle_quant(self, tensor, groups, bits, _, pipeline, nodes, devices):
        return torch.zeros(tensor.numel() * bits // 8, dtype=torch.int8), torch.ones(groups)

    def quantized_reduction(self, tensor, scales, in_groups, out_groups, bits, _, devices):
        return torch.zeros(tensor.numel() // devices, dtype=torch.int8), torch.ones(max(1, out_groups))


class QuantizerBuilder:
    def load(self):
        return Quantizer()


op_builder.QuantizerBuilder = deepspeed.ops.op_builder.QuantizerBuilder = QuantizerBuilder


def mark_recomputation():
    """A checkpointed layer that runs in the backward pass, hooks included, computes again."""
    call = Layer.__call__

    def marked(self, *inputs):
        again = recorder.phase == "bwd"
        recorder.phase = "recomp" if again else recorder.phase
        try:
            return call(self, *inputs)  # which may be left early, by an exception of PyTorch's
        finally:
            recorder.phase = "bwd" if again else recorder.phase

    Layer.__call__ = marked


linear = torch.nn.functional.linear


def record(c, model_parameters):
    torch.nn.functional.linear = linear  # which stage 3 replaces for the rest of the process
    ranks = c["ranks"]
    os.environ.update(WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(c["ranks_per_node"]))
    recorder.ranks, recorder.is_on = ranks, False
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=ranks)
    accelerator.device_count = lambda: c["ranks_per_node"]
    try:
        model = build(model_parameters)
        model.recomputes = c["recompute"]
        trained = [p for p in model.parameters() if p.requires_grad]
        groups = [trained]
        if c["param_groups"] == 2:
            groups = [[p for p in trained if p.dim() > 1], [p for p in trained if p.dim() < 2]]
        optimizer = torch.optim.AdamW([{"params": group} for group in groups if group], lr=0.0)
        config = json.loads(json.dumps(c["ds_config"]))  # which it changes
        engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
        tokens = torch.zeros(1, 8, dtype=torch.int64)
        steps = []
        recorder.is_on = True
        for _ in range(4):
            recorder.events = []
            for micro_step in range(c["grad_accum"]):
                recorder.micro_step, recorder.phase = micro_step, "fwd"
                loss = engine(tokens).float().mean()
                recorder.phase = "bwd"
                engine.backward(loss)
                recorder.phase = "step"
                engine.step()
            assert not getattr(engine.optimizer, "overflow", False), "the loss overflowed"
            steps.append(recorder.events)
        assert steps[-1] == steps[-2], "the step is not steady"
        return steps[-1]
    finally:
        recorder.is_on = False
        dist.destroy_process_group()
        ds_comm.comm.cdb = None
        reset_groups()


def reset_groups():
    """DeepSpeed keeps its groups for the life of a process."""
    from deepspeed.utils import groups
    for each, value in vars(groups).items():
        if each.startswith("_") and not each.startswith("__") and not callable(value) and not isinstance(
                value, (types.ModuleType, bool)):
            setattr(groups, each, {} if isinstance(value, dict) else None)


def random_settings(choose):
    stage = choose.choice([0, 1, 1, 2, 2, 3, 3, 3, 3, 3])
    dtype = choose.choice(["fp32", "bf16", "bf16", "fp16"])
    ranks = choose.choice([2, 3, 4, 6, 8, 12])
    grad_accum = choose.choice([1, 1, 2, 3])
    zero = {"stage": stage}
    config = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": grad_accum,
              "zero_optimization": zero, "zero_allow_untested_optimizer": True}
    if dtype == "bf16":
        config["bf16"] = {"enabled": True}
    if dtype == "fp16":
        config["fp16"] = {"enabled": True, "loss_scale": 1.0}
    if choose.random() < 0.3:
        config["gradient_clipping"] = choose.choice([0.0, 1.0])
    if dtype != "fp32" and choose.random() < 0.2:
        config["communication_data_type"] = choose.choice(["fp32", dtype])
    per_node = choose.choice([2, 4]) if ranks % 4 == 0 else ranks
    if stage > 0:
        maybe(choose, zero, "reduce_bucket_size", 0.7, [100, 300, 700, 2000, 10000])
        maybe(choose, zero, "overlap_comm", 0.5, [True, False])
        maybe(choose, zero, "reduce_scatter", 0.3, [True, False])
        maybe(choose, zero, "contiguous_gradients", 0.2, [True, False])
    if stage in (1, 2):
        maybe(choose, zero, "use_multi_rank_bucket_allreduce", 0.3, [True, False])
        maybe(choose, zero, "round_robin_gradients", 0.2, [True])
    if stage == 3:
        maybe(choose, zero, "stage3_prefetch_bucket_size", 0.7, [0, 100, 500, 2000])
        maybe(choose, zero, "stage3_param_persistence_threshold", 0.7, [0, 10, 20, 200, 700])
        maybe(choose, zero, "stage3_max_live_parameters", 0.4, [0, 500, 3000])
        maybe(choose, zero, "stage3_max_reuse_distance", 0.4, [0, 500, 3000])
        maybe(choose, zero, "sub_group_size", 0.3, [50, 500, 5000])
        if dtype != "fp32" and per_node < ranks and choose.random() < 0.6:
            maybe(choose, zero, "zero_hpz_partition_size", 0.7, [per_node])
            maybe(choose, zero, "zero_quantized_weights", 0.5, [True])
            maybe(choose, zero, "zero_quantized_gradients", 0.5, [True])
    return {"ranks": ranks, "ranks_per_node": per_node, "grad_accum": grad_accum, "dtype": dtype,
            "param_groups": choose.choice([1, 1, 2]), "recompute": choose.random() < 0.25, "ds_config": config}


def zero_plus_plus_settings(choose):
    """Of several nodes, with at least one of ZeRO++'s parts."""
    while True:
        c = random_settings(choose)
        if {"zero_hpz_partition_size", "zero_quantized_weights", "zero_quantized_gradients"} & set(
                c["ds_config"]["zero_optimization"]):
            return c


def maybe(choose, settings, key, probability, values):
    if choose.random() < probability:
        settings[key] = choose.choice(values)


def draw(seed, count, of_zero_plus_plus):
    choose = random.Random(seed)
    framework = f"deepspeed-{deepspeed.__version__.split('+')[0]}"
    for number in range(count + of_zero_plus_plus):
        c = (random_settings if number < count else zero_plus_plus_settings)(choose)
        m = random_model(choose)
        if "zero_quantized_weights" in c["ds_config"]["zero_optimization"]:
            m.update(width=16, ffn=64, vocabulary=64)  # the quantizer wants multiples of 8 on each rank
        yield framework, c, m


def main(file, seed=1, count=100, of_zero_plus_plus=None):
    mark_recomputation()
    extra = int(count) // 8 if of_zero_plus_plus is None else int(of_zero_plus_plus)
    add_steps(file, draw(int(seed), int(count), extra), record)


if __name__ == "__main__":
    main(*sys.argv[1:])
