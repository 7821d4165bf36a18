#!/usr/bin/env python3
"""Measures training steps of Hugging Face's models on one GPU, as a table for `ringmark-replay score`.

    python3 measure_gpu_steps.py STEPS.csv KERNELS.json [SECONDS]

writes a row for each step, and the time of its kernels by kind. Models, attention (scaled_dot_product_attention),
autocast to bf16, AdamW (fused) and compilation are PyTorch's and transformers' own; weights and tokens are random. No
further step begins after SECONDS (300). The time of a step is the median of at least five, between two events.
measured_gpu_steps.csv has the steps of an H200 and an H100 by PyTorch 2.11 and transformers 5.17, with CUDA 13.0.
"""
import csv
import json
import statistics
import sys
import time

import torch
import transformers
from torch.profiler import ProfilerActivity, profile

GPT2 = {"gpt2": (768, 12, 12), "gpt2-medium": (1024, 24, 16), "gpt2-xl": (1600, 48, 25)}
LLAMA = {  # width, layers, heads, heads of keys, feed-forward, vocabulary, tied
    "tinyllama-1.1b": (2048, 22, 32, 4, 5632, 32000, False),
    "llama3.2-1b": (2048, 16, 32, 8, 8192, 128256, True),
    "llama3.2-3b": (3072, 28, 24, 8, 8192, 128256, True),
    "llama3-8b-of-8-layers": (4096, 8, 32, 8, 14336, 128256, False),
}
OPT = {"opt-1.3b": (2048, 24, 32, 8192)}
# model, sequence, micro-batch, recomputed, compiled, type
STEPS = [
    ("tinyllama-1.1b", 2048, 4, False, False, "bf16"),
    ("gpt2", 1024, 32, False, False, "bf16"),
    ("llama3-8b-of-8-layers", 4096, 1, False, False, "bf16"),
    ("gpt2-xl", 1024, 8, False, False, "bf16"),
    ("llama3.2-1b", 2048, 4, False, False, "bf16"),
    ("llama3.2-1b", 8192, 1, False, False, "bf16"),
    ("llama3.2-3b", 4096, 1, True, False, "bf16"),
    ("opt-1.3b", 2048, 4, False, False, "bf16"),
    ("gpt2-medium", 1024, 16, False, False, "bf16"),
    ("tinyllama-1.1b", 2048, 8, False, False, "bf16"),
    ("gpt2", 1024, 4, False, False, "bf16"),
    ("gpt2-xl", 1024, 8, True, False, "bf16"),
    ("llama3.2-1b", 32768, 1, True, False, "bf16"),
    ("gpt2-medium", 1024, 8, False, False, "fp32"),
    ("tinyllama-1.1b", 2048, 8, False, True, "bf16"),
    ("gpt2-medium", 1024, 16, False, True, "bf16"),
    ("llama3-8b-of-8-layers", 4096, 1, False, True, "bf16"),
    ("tinyllama-1.1b", 2048, 16, True, True, "bf16"),
]
COLUMNS = ["id", "family", "gpu", "memory_GiB", "model_type", "hidden", "layers", "heads", "kv_heads", "ffn",
           "positions", "vocabulary", "tied", "framework", "gpus", "gpus_per_node", "sequence", "micro_batch",
           "accumulation", "dtype", "recompute", "software", "intra_GBps", "inter_GBps", "published_step_s",
           "least_step_s", "most_step_s", "peak_allocated_GiB", "peak_reserved_GiB"]
KINDS = {"attention": ("flash", "fmha", "attention", "cudnn"), "product": ("gemm", "nvjet", "cutlass", "xmma"),
         "optimizer": ("adam", "multi_tensor"), "loss": ("softmax", "nll"), "copy": ("memcpy", "memset")}


def shape(name, sequence):
    if name in GPT2:
        hidden, layers, heads = GPT2[name]
        return {"model_type": "gpt2", "hidden": hidden, "layers": layers, "heads": heads, "kv_heads": heads,
                "ffn": 4 * hidden, "vocabulary": 50257, "tied": 1, "positions": max(1024, sequence)}
    if name in OPT:
        hidden, layers, heads, ffn = OPT[name]
        return {"model_type": "opt", "hidden": hidden, "layers": layers, "heads": heads, "kv_heads": heads, "ffn": ffn,
                "vocabulary": 50272, "tied": 1, "positions": max(2048, sequence)}
    hidden, layers, heads, kv_heads, ffn, vocabulary, tied = LLAMA[name]
    return {"model_type": "llama", "hidden": hidden, "layers": layers, "heads": heads, "kv_heads": kv_heads, "ffn": ffn,
            "vocabulary": vocabulary, "tied": int(tied), "positions": max(2048, sequence)}


def build(s):
    if s["model_type"] == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=s["vocabulary"], n_positions=s["positions"], n_embd=s["hidden"], n_layer=s["layers"],
            n_head=s["heads"], resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, use_cache=False)
    elif s["model_type"] == "opt":
        config = transformers.OPTConfig(
            vocab_size=s["vocabulary"], hidden_size=s["hidden"], num_hidden_layers=s["layers"], ffn_dim=s["ffn"],
            max_position_embeddings=s["positions"], num_attention_heads=s["heads"], word_embed_proj_dim=s["hidden"],
            dropout=0, attention_dropout=0, use_cache=False)
    else:
        config = transformers.LlamaConfig(
            vocab_size=s["vocabulary"], hidden_size=s["hidden"], intermediate_size=s["ffn"],
            num_hidden_layers=s["layers"], num_attention_heads=s["heads"], num_key_value_heads=s["kv_heads"],
            max_position_embeddings=s["positions"], tie_word_embeddings=bool(s["tied"]), use_cache=False)
    with torch.device(DEVICE):
        return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").float().train()


MEMORY_GIB = {"h100": 80, "h200": 141}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"  # the processor is for trying the script


def by_kind(profiler):
    times = dict.fromkeys([*KINDS, "other"], 0.0)
    kernels = {}
    for event in profiler.events():
        if event.device_type != torch.autograd.DeviceType.CUDA:
            continue
        us = event.self_device_time_total
        name = event.name.lower()
        times[next((kind for kind, words in KINDS.items() if any(word in name for word in words)), "other")] += us
        count, total = kernels.get(event.name[:160], (0, 0.0))
        kernels[event.name[:160]] = (count + 1, total + us)
    most = sorted(kernels.items(), key=lambda kernel: -kernel[1][1])[:25]
    return {"us": times, "kernels": [[name, count, round(us, 1)] for name, (count, us) in most]}


def time_steps(step):
    """The times of a step, the time of its kernels by kind, and the peaks of memory."""
    for _ in range(4):
        step()
    times, kernels, peaks = [], {"us": {}, "kernels": []}, {}
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        began = time.monotonic()
        while len(times) < 5 or (len(times) < 20 and time.monotonic() - began < 3):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            step()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / 1e3)
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            step()
            torch.cuda.synchronize()
        kernels = by_kind(profiler)
        peaks = {"peak_allocated_GiB": round(torch.cuda.max_memory_allocated() / 2**30, 2),
                 "peak_reserved_GiB": round(torch.cuda.max_memory_reserved() / 2**30, 2)}
    else:
        began = time.monotonic()
        step()
        times.append(time.monotonic() - began)
    return {"published_step_s": round(statistics.median(times), 6), "least_step_s": round(min(times), 6),
            "most_step_s": round(max(times), 6)}, kernels, peaks


def gpu_name():
    return torch.cuda.get_device_name().split()[1].lower() if DEVICE == "cuda" else "h200"


def forget():
    """Frees what a step compiled and allocated."""
    torch._dynamo.reset()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()


def measure(name, sequence, micro_batch, recomputed, compiled, dtype):
    s = shape(name, sequence)
    model = build(s)
    if recomputed:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    called = torch.compile(model) if compiled else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    tokens = torch.randint(0, s["vocabulary"], (micro_batch, sequence), device=DEVICE)

    def step():
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=dtype == "bf16"):
            loss = called(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    times, kernels, peaks = time_steps(step)
    gpu = gpu_name()
    name_of_step = f"{name}-{sequence}-{micro_batch}{'-recomputed' * recomputed}{'-compiled' * compiled}-{dtype}"
    row = {**s, "id": f"{gpu}-{name_of_step}",
           "family": f"transformers/{gpu}{'/compiled' * compiled}",
           "gpu": gpu, "memory_GiB": MEMORY_GIB.get(gpu, ""),
           "framework": "pytorch-ddp", "gpus": 1, "gpus_per_node": 1, "sequence": sequence, "micro_batch": micro_batch,
           "accumulation": 1, "dtype": dtype, "recompute": int(recomputed),
           "software": "compiled" if compiled else "transformers", "intra_GBps": 450, "inter_GBps": 400, **times, **peaks}
    return row, kernels


def main():
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 300
    torch.backends.cuda.matmul.allow_tf32 = True
    began, kernels = time.monotonic(), {}
    with open(sys.argv[1], "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for setting in STEPS:
            if time.monotonic() - began > seconds:
                print("left out for want of time:", *setting)
                continue
            row_began = time.monotonic()
            try:
                row, kernels_of_row = measure(*setting)
            except torch.OutOfMemoryError:
                print("out of memory:", *setting)
                continue
            finally:
                forget()
            table.writerow(row)
            file.flush()
            kernels[row["id"]] = kernels_of_row
            took_s = time.monotonic() - row_began
            print(f"{row['id']}: {1e3 * row['published_step_s']:.1f} ms; {took_s:.0f} s", flush=True)
            with open(sys.argv[2], "w") as out:
                json.dump({"torch": torch.__version__, "transformers": transformers.__version__, "steps": kernels}, out)


if __name__ == "__main__":
    main()
