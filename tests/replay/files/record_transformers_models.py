#!/usr/bin/env python3
"""Records the tensors of transformers' models, and the order in which their modules run.

    python3 record_transformers_models.py transformers_models.json.xz

Each model has two layers and small numbers; transformers_models.json.xz is of version 5.17. A file's entry has the
configuration that was given, all tensors with their shapes in the order of their registration, the modules without
children in the order of their calls in a forward pass, and the windows of attention, where the modules tell them.
"""
import json
import lzma
import sys

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

COMMON = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 96,
          "max_position_embeddings": 32}
GROUPED = {"intermediate_size": 112, "num_key_value_heads": 2}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
CONFIGURATIONS = [
    {"model_type": "llama", **GROUPED},
    {"model_type": "llama", **GROUPED, "attention_bias": True, "mlp_bias": True, "head_dim": 32},
    {"model_type": "mistral", **GROUPED},
    {"model_type": "qwen2", **GROUPED},
    {"model_type": "qwen3", **GROUPED},
    {"model_type": "qwen3", **GROUPED, "attention_bias": True, "head_dim": 32, "tie_word_embeddings": True},
    {"model_type": "phi3", **GROUPED},
    {"model_type": "gemma", **GROUPED},
    {"model_type": "gemma", **GROUPED, "head_dim": 16, "attention_bias": True},
    {"model_type": "qwen3", **GROUPED, "use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1},
    {"model_type": "gemma2", **GROUPED, "head_dim": 16},
    {"model_type": "gemma3_text", **GROUPED, "head_dim": 32},
    {"model_type": "gemma3_text", **GROUPED, "sliding_window": 16, "sliding_window_pattern": 2},
    {"model_type": "granite", **GROUPED, "attention_bias": True, "mlp_bias": True},
    {"model_type": "smollm3", **GROUPED},
    {"model_type": "olmo2", **GROUPED},
    {"model_type": "olmo2", **GROUPED, "attention_bias": True, "tie_word_embeddings": True},
    {"model_type": "olmo3", **GROUPED, "sliding_window": 16},
    {"model_type": "stablelm", **GROUPED},
    {"model_type": "stablelm", **GROUPED, "use_qkv_bias": True},
    {"model_type": "starcoder2", **GROUPED},
    {"model_type": "starcoder2", **GROUPED, "use_bias": False, "sliding_window": 16},
    {"model_type": "cohere", **GROUPED},
    {"model_type": "cohere", **GROUPED, "attention_bias": True},
    {"model_type": "gpt_neox", "intermediate_size": 112},
    {"model_type": "gpt_neox", "intermediate_size": 112, "attention_bias": False, "use_parallel_residual": False},
    {"model_type": "opt", "ffn_dim": 112},
    {"model_type": "gpt2", "n_inner": 112},
]


def record(configuration):
    configuration = {**configuration, **COMMON}
    kind = configuration["model_type"]
    given = {key: value for key, value in configuration.items() if key != "model_type"}
    model = transformers.AutoModelForCausalLM.from_config(CONFIG_MAPPING[kind](**given, **TOKENS)).eval()
    calls = []
    for name, module in model.named_modules():
        if not list(module.children()):
            module.register_forward_pre_hook(lambda _module, _inputs, name=name: calls.append(name))
    model(torch.arange(8).unsqueeze(0))
    return {"configuration": configuration,
            "tensors": [[name, list(each.shape)] for name, each in model.named_parameters()],
            "calls": calls,
            "windows": [each.sliding_window or 0 for each in model.modules() if hasattr(each, "sliding_window")]}


def main():
    models = [record(each) for each in CONFIGURATIONS]
    content = {"transformers": transformers.__version__, "models": models}
    with lzma.open(sys.argv[1], "wt") as out:
        json.dump(content, out)


main()
