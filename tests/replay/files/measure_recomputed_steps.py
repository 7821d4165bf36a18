#!/usr/bin/env python3
"""Measures what recomputation costs in steps of GPT-2 shapes with unfused attention, as a table for `score`.

    python3 measure_recomputed_steps.py STEPS.csv [SECONDS]

Every shape runs without recomputation, with that of core attention alone (scores, mask, softmax and their product with
the values, as Megatron-LM's selective recomputation has it), and with that of whole layers. Models and attention
("eager") are transformers' own; core attention is recomputed by torch.utils.checkpoint around its function.
measured_recomputed_steps.csv has the steps of an H100 by PyTorch 2.11 and transformers 5.17, with CUDA 13.0.
"""
import csv
import sys
import time

import torch
import transformers
from torch.utils.checkpoint import checkpoint
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, AttentionMaskInterface
from transformers.modeling_utils import AttentionInterface
from transformers.models.gpt2 import modeling_gpt2

import measure_gpu_steps as common

SHAPES = {  # width, layers, heads, sequence, micro-batch
    "gpt2-medium": (1024, 24, 16, 1024, 8),
    "gpt2-xl": (1600, 48, 25, 1024, 2),
    "gpt-6.7b-of-8-layers": (4096, 8, 32, 2048, 2),
}
VOCABULARY = 50304


def core_recomputed(module, query, key, value, attention_mask, **others):
    def core(q, k, v):
        return modeling_gpt2.eager_attention_forward(module, q, k, v, attention_mask, **others)
    return checkpoint(core, query, key, value, use_reentrant=False, preserve_rng_state=False)


def measure(name, recompute):
    hidden, layers, heads, sequence, micro_batch = SHAPES[name]
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_positions=sequence, n_embd=hidden, n_layer=layers, n_head=heads, resid_pdrop=0,
        embd_pdrop=0, attn_pdrop=0, use_cache=False)
    attention = "core_recomputed" if recompute == "selective" else "eager"
    with torch.device(common.DEVICE):
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation=attention).float().train()
    if recompute == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    tokens = torch.randint(0, VOCABULARY, (micro_batch, sequence), device=common.DEVICE)

    def step():
        with torch.autocast(common.DEVICE, dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    times, _, peaks = common.time_steps(step)
    gpu = common.gpu_name()
    return {"id": f"{gpu}-{name}-{recompute}", "family": f"transformers eager/{gpu}", "gpu": gpu,
            "memory_GiB": common.MEMORY_GIB.get(gpu, ""), "model_type": "gpt2", "hidden": hidden, "layers": layers,
            "heads": heads, "kv_heads": heads, "ffn": 4 * hidden, "positions": sequence, "vocabulary": VOCABULARY,
            "tied": 1, "framework": "pytorch-ddp", "gpus": 1, "gpus_per_node": 1, "sequence": sequence,
            "micro_batch": micro_batch, "accumulation": 1, "dtype": "bf16", "recompute": recompute,
            "software": "unfused", "intra_GBps": 450, "inter_GBps": 400, **times, **peaks}


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 300
    AttentionInterface.register("core_recomputed", core_recomputed)
    AttentionMaskInterface.register("core_recomputed", ALL_MASK_ATTENTION_FUNCTIONS["eager"])
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.monotonic()
    with open(sys.argv[1], "w", newline="") as file:
        table = csv.DictWriter(file, common.COLUMNS, lineterminator="\n")
        table.writeheader()
        for name in SHAPES:
            for recompute in ("no", "selective", "full"):
                if time.monotonic() - began > seconds:
                    print("left out for want of time:", name, recompute)
                    continue
                try:
                    row = measure(name, recompute)
                except torch.OutOfMemoryError:
                    print("out of memory:", name, recompute)
                    continue
                finally:
                    common.forget()
                table.writerow(row)
                file.flush()
                print(row["id"], row["published_step_s"], row.get("peak_allocated_GiB"))


if __name__ == "__main__":
    main()
