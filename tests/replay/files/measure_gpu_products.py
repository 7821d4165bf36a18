#!/usr/bin/env python3
"""Measures products of matrices, attention and copies on one GPU, by the installed PyTorch and its libraries.

    python3 measure_gpu_products.py PRODUCTS.csv

Products are of the shapes that layers of language models have; one side of some (50257) is odd. For attention
(scaled_dot_product_attention, causal) `rows` is the batch, `columns` the sequence, and `inner` the width of all heads.
h200_products.csv is an H200's, by PyTorch 2.11 and CUDA 13.0: medians of five rounds of twelve (four of TF32 and of
copies), in microseconds.
"""
import statistics
import sys

import torch

TOKENS = (1024, 2048, 4096, 8192, 16384)
MATRICES = ((768, 768), (3072, 768), (768, 3072), (2048, 2048), (8192, 2048), (2048, 8192), (4096, 4096), (6144, 4096),
            (14336, 4096), (4096, 14336), (8192, 8192), (28672, 8192), (8192, 28672), (50257, 768), (128256, 2048))
ATTENTION = ((16, 512, 32, 128), (8, 1024, 32, 128), (4, 2048, 32, 128), (2, 4096, 32, 128), (1, 8192, 32, 128),
             (1, 16384, 16, 128), (16, 1024, 12, 64), (8, 2048, 32, 64))


def timed(run, times=12):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    rounds = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        rounds.append(start.elapsed_time(end) * 1e3 / times)
    return statistics.median(rounds)


def products(write):
    for rows in TOKENS:
        for columns, inner in MATRICES:
            x, w = (torch.randn(side, inner, device="cuda", dtype=torch.bfloat16) for side in (rows, columns))
            write("bf16", rows, columns, inner, timed(lambda: x @ w.t()))
            if columns % 16 == 0 and rows >= 4096 and inner >= 2048:
                x8, w8, one = x.to(torch.float8_e4m3fn), w.to(torch.float8_e4m3fn), torch.ones((), device="cuda")
                write("fp8", rows, columns, inner,
                      timed(lambda: torch._scaled_mm(x8, w8.t(), one, one, out_dtype=torch.bfloat16)))
            if rows == 8192 and columns in (4096, 14336):
                xf, wf = x.float(), w.float()
                write("tf32", rows, columns, inner, timed(lambda: xf @ wf.t(), 4))


def attention(write):
    for batch, sequence, heads, width in ATTENTION:
        q, k, v = (torch.randn(batch, heads, sequence, width, device="cuda", dtype=torch.bfloat16, requires_grad=True)
                   for _ in range(3))

        def forward():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

        write("attention-forward", batch, sequence, heads * width, timed(forward))
        out = forward()
        gradient = torch.randn_like(out)
        write("attention-backward", batch, sequence, heads * width,
              timed(lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)))


def copies(write):
    source = torch.empty(1 << 30, device="cuda", dtype=torch.bfloat16)
    target = torch.empty_like(source)
    write("copy", source.numel(), "", "", timed(lambda: target.copy_(source), 4))


def main():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    with open(sys.argv[1], "w") as out:
        out.write("kind,rows,columns,inner,us\n")
        for measure in (products, attention, copies):
            measure(lambda *cells: out.write(",".join(map(str, cells[:-1])) + f",{cells[-1]:.2f}\n"))


if __name__ == "__main__":
    main()
