#!/usr/bin/env python3
"""Measures training steps of other code bases on one GPU, as a table for `ringmark-replay score`.

    python3 measure_code_bases.py FOLDER STEPS.csv KERNELS.json [SECONDS]

FOLDER holds nanoGPT's model.py as nanogpt/model.py, and the packages litgpt (0.5.13) and torchtitan (0.2.1) unpacked
from their wheels. Each model, its loss and its way to compile are its authors' own; torchtitan's is sharded by
fully_shard over one rank, with parameters of bf16, the two others run under autocast. AdamW is fused, gradients are
clipped, weights and tokens are random. measured_code_bases.csv has steps of an H100 and an H200 by PyTorch 2.11, with CUDA 13.0.
"""
import csv
import dataclasses
import json
import sys
import time
import types
from pathlib import Path

import torch
import torch.nn.functional as F

import measure_gpu_steps as common

GPT2 = {"gpt2": (768, 12, 12), "gpt2-medium": (1024, 24, 16), "gpt2-xl": (1600, 48, 25)}
LLAMA = {  # width, layers, heads, heads of keys, feed-forward, vocabulary
    "llama3.2-1b": (2048, 16, 32, 8, 8192, 128256),
    "llama3-8b-of-8-layers": (4096, 8, 32, 8, 14336, 128256),
    "tinyllama-1.1b": (2048, 22, 32, 4, 5632, 32000),
}
# code base, model, sequence, micro-batch, recomputed, compiled
STEPS = [
    ("torchtitan", "llama3-8b-of-8-layers", 4096, 1, False, False),
    ("nanogpt", "gpt2", 1024, 12, False, True),
    ("litgpt", "llama3.2-1b", 4096, 2, False, True),
    ("torchtitan", "llama3-8b-of-8-layers", 4096, 2, False, True),
    ("nanogpt", "gpt2-medium", 1024, 16, False, False),
    ("litgpt", "tinyllama-1.1b", 2048, 4, False, False),
    ("torchtitan", "llama3.2-1b", 8192, 1, True, False),
    ("nanogpt", "gpt2-xl", 1024, 4, False, True),
    ("litgpt", "llama3-8b-of-8-layers", 4096, 1, False, False),
    ("torchtitan", "llama3.2-1b", 2048, 4, False, False),
    ("nanogpt", "gpt2", 1024, 32, False, False),
    ("litgpt", "tinyllama-1.1b", 2048, 8, False, True),
    ("torchtitan", "llama3.2-1b", 8192, 2, False, True),
    ("nanogpt", "gpt2-xl", 1024, 4, False, False),
    ("torchtitan", "llama3-8b-of-8-layers", 8192, 1, True, False),
]
SOFTWARE = {False: "fused-attention", True: "compiled"}


def package(name, folder):
    """A package whose __init__.py is not run, since it would import all that the project uses."""
    module = types.ModuleType(name)
    module.__path__ = [str(folder)]
    sys.modules[name] = module


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def prepare(folder):
    sys.path.insert(0, str(folder))
    package("litgpt", folder / "litgpt")
    stand_in("litgpt.scripts.convert_hf_checkpoint", qkv_reassemble=None)
    for name in ["torchtitan", "torchtitan.models", "torchtitan.models.llama3", "torchtitan.models.llama3.model"]:
        package(name, folder / name.replace(".", "/"))
    stand_in("torchtitan.components.tokenizer", BaseTokenizer=object)
    stand_in("torchtitan.config", JobConfig=object)
    stand_in("torchtitan.models.utils", get_dense_model_nparams_and_flops=None)
    stand_in("torchtitan.protocols.model", AttentionMasksType=object,
             BaseModelArgs=dataclasses.make_dataclass("BaseModelArgs", []))
    stand_in("torchtitan.protocols.train_spec", ModelProtocol=object)


def shape(name, sequence):
    if name in GPT2:
        hidden, layers, heads = GPT2[name]
        return {"model_type": "gpt2", "hidden": hidden, "layers": layers, "heads": heads, "kv_heads": heads,
                "ffn": 4 * hidden, "vocabulary": 50304, "tied": 1, "positions": 1024}
    hidden, layers, heads, kv_heads, ffn, vocabulary = LLAMA[name]
    return {"model_type": "llama", "hidden": hidden, "layers": layers, "heads": heads, "kv_heads": kv_heads, "ffn": ffn,
            "vocabulary": vocabulary, "tied": 0, "positions": sequence}


def nanogpt(s, compiled):
    from nanogpt.model import GPT, GPTConfig
    with torch.device(common.DEVICE):
        model = GPT(GPTConfig(block_size=s["positions"], vocab_size=s["vocabulary"], n_layer=s["layers"],
                              n_head=s["heads"], n_embd=s["hidden"], bias=False))
    called = torch.compile(model) if compiled else model
    return model, lambda tokens: called(tokens, tokens)[1]


def litgpt(s, compiled):
    from litgpt.config import Config
    from litgpt.model import GPT
    with torch.device(common.DEVICE):
        model = GPT(Config(
            block_size=s["positions"], n_layer=s["layers"], n_embd=s["hidden"], n_head=s["heads"], bias=False,
            n_query_groups=s["kv_heads"], padded_vocab_size=s["vocabulary"], vocab_size=s["vocabulary"],
            rotary_percentage=1.0, parallel_residual=False, norm_class_name="RMSNorm", mlp_class_name="LLaMAMLP",
            intermediate_size=s["ffn"]))
        model.max_seq_length = s["positions"]
    called = torch.compile(model) if compiled else model

    def loss(tokens):
        logits = called(tokens).float()  # as Fabric converts what a model under mixed precision returns
        losses = [F.cross_entropy(part, targets, reduction="none") for part, targets in
                  zip(logits.reshape(-1, logits.size(-1)).split(128), tokens.reshape(-1).split(128))]
        return torch.cat(losses).sum() / tokens.numel()

    return model, loss


def torchtitan(s, compiled, recomputed):
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torchtitan.models.llama3.model.args import TransformerModelArgs
    from torchtitan.models.llama3.model.model import Transformer
    with torch.device(common.DEVICE):
        model = Transformer(TransformerModelArgs(
            dim=s["hidden"], n_layers=s["layers"], n_heads=s["heads"], n_kv_heads=s["kv_heads"],
            vocab_size=s["vocabulary"], multiple_of=1024, ffn_dim_multiplier=s["ffn"] / (8 * s["hidden"] // 3),
            rope_theta=500000, max_seq_len=s["positions"]))
        model.init_weights()
    assert model.layers["0"].feed_forward.w1.out_features == s["ffn"]
    for number, layer in model.layers.named_children():
        layer = checkpoint_wrapper(layer, preserve_rng_state=False) if recomputed else layer
        model.layers.register_module(number, torch.compile(layer, fullgraph=True) if compiled else layer)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for part in [model.tok_embeddings, *model.layers.values(), [model.norm, model.output], model]:
        fully_shard(part, mp_policy=policy)

    def loss_of(logits, tokens):
        return F.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten(0, 1))

    loss = torch.compile(loss_of) if compiled else loss_of
    return model, lambda tokens: loss(model(tokens), tokens)


def measure(code_base, name, sequence, micro_batch, recomputed, compiled):
    s = shape(name, sequence)
    if code_base == "torchtitan":
        model, loss = torchtitan(s, compiled, recomputed)
    else:
        model, loss = {"nanogpt": nanogpt, "litgpt": litgpt}[code_base](s, compiled)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    tokens = torch.randint(0, s["vocabulary"], (micro_batch, sequence), device=common.DEVICE)

    def step():
        with torch.autocast(common.DEVICE, dtype=torch.bfloat16, enabled=code_base != "torchtitan"):
            result = loss(tokens)
        result.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    times, kernels, peaks = common.time_steps(step)
    gpu = common.gpu_name()
    fsdp = code_base == "torchtitan"
    return {**s, **times, **peaks,
            "id": f"{gpu}-{code_base}-{name}-{sequence}-{micro_batch}{'-recomputed' * recomputed}"
                  f"{'-compiled' * compiled}",
            "family": f"{code_base}/{gpu}{'/compiled' * compiled}", "gpu": gpu,
            "memory_GiB": common.MEMORY_GIB.get(gpu, ""), "framework": "pytorch-fsdp2" if fsdp else "pytorch-ddp",
            "gpus": 1, "gpus_per_node": 1, "sequence": sequence, "micro_batch": micro_batch, "accumulation": 1,
            "dtype": "bf16", "recompute": int(recomputed), "clip_grad": 1, "software": SOFTWARE[compiled],
            "intra_GBps": 450, "inter_GBps": 400}, kernels


def main():
    folder, seconds = Path(sys.argv[1]), float(sys.argv[4]) if len(sys.argv) > 4 else 300
    prepare(folder)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.distributed.init_process_group("nccl" if common.DEVICE == "cuda" else "gloo", rank=0, world_size=1,
                                         store=torch.distributed.HashStore())
    began, kernels = time.monotonic(), {}
    with open(sys.argv[2], "w", newline="") as file:
        table = csv.DictWriter(file, [*common.COLUMNS, "clip_grad"], lineterminator="\n")
        table.writeheader()
        for setting in STEPS:
            row_began = time.monotonic()
            if row_began - began > seconds:
                print("left out for want of time:", *setting)
                continue
            try:
                row, kernels_of_row = measure(*setting)
            except torch.OutOfMemoryError:
                print("out of memory:", *setting)
                continue
            finally:
                common.forget()
            table.writerow(row)
            file.flush()
            kernels[row["id"]] = kernels_of_row
            print(f"{row['id']}: {1e3 * row['published_step_s']:.1f} ms; {time.monotonic() - row_began:.0f} s", flush=True)
            with open(sys.argv[3], "w") as out:
                json.dump({"torch": torch.__version__, "steps": kernels}, out)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
