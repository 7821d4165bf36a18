#!/usr/bin/env python3
"""Counts the bytes that transformers' layers move through memory beside products of matrices and attention.

    python3 record_transformers_passes.py transformers_passes.json.xz

Layers run forward and backward on PyTorch's fake tensors of a GPU: nothing is computed, and no GPU is needed, but
autocast casts as on one. Each operator counts as one kernel that reads its inputs and writes its results once; views
move nothing, a dimension that is broadcast is read once, and products and attention are left out. Differences between
numbers of layers and of samples leave the bytes of a token in a layer; differences between widths divide them by the
width of the layer (d), of all heads (q), of all key heads (k) and of the MLP (f). OPT, GPT-2 and GPT-NeoX have one width d for
the first three, and StableLM for the first two. "kept" are bytes of the distinct tensors that autograd keeps for the backward pass.

A precision is "autocast" (weights in float32, autocast to bfloat16, as PyTorch trains on one GPU and with DDP),
"bfloat16" (weights in bfloat16, as DeepSpeed and FSDP have them) or "float32". Attention has no mask, as in uncompiled
training without padding. Dropout is off. transformers_passes.json.xz is of PyTorch 2.11 and transformers 5.17.
"""
import collections
import json
import lzma
import sys

import torch
import transformers
import transformers.masking_utils
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

TYPES = ("llama", "mistral", "granite", "qwen2", "qwen3", "phi3", "gemma", "gemma2", "gemma3_text", "smollm3", "olmo2",
         "olmo3", "stablelm", "starcoder2", "cohere", "opt", "gpt2", "gpt_neox")
PRECISIONS = ("autocast", "bfloat16", "float32")
WIDTHS_OF = {"opt": "df", "gpt2": "df", "gpt_neox": "df", "stablelm": "dkf"}  # the others have all four
SEQUENCE, HEAD = 64, 64
WIDTHS = {"d": 1024, "q": 512, "k": 256, "f": 2048, "vocabulary": 128}
NOT_COUNTED = {"mm", "addmm", "bmm", "baddbmm", "empty", "empty_like", "empty_strided", "new_empty",
               "new_empty_strided", "_scaled_dot_product_cudnn_attention",
               "_scaled_dot_product_cudnn_attention_backward"}
NOT_READ = {"nll_loss_forward", "nll_loss_backward",  # one logit of a token
            "fill_", "zero_", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"}


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """PyTorch's choice on an H100; without a GPU it would choose products."""
    assert attn_mask is None and dropout_p == 0
    if torch.is_autocast_enabled("cuda"):
        query, key, value = (each.to(torch.bfloat16) for each in (query, key, value))
    return torch.ops.aten._scaled_dot_product_cudnn_attention(query, key, value, None, True, 0.0, is_causal, False,
                                                              scale=scale)[0]


torch.nn.functional.scaled_dot_product_attention = attention
# Fake tensors look like compilation to transformers, which then makes a mask.
transformers.masking_utils.ALL_MASK_ATTENTION_FUNCTIONS["sdpa"] = lambda *_, **__: None


def bytes_of(tensor):
    elements = 1
    for size, stride in zip(tensor.shape, tensor.stride()):
        elements *= size if stride else 1
    return elements * tensor.element_size()


class Counter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.phase, self.moved = "forward", collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        if function.namespace == "aten" and name not in NOT_COUNTED:
            self.moved[self.phase] += self.bytes_moved(name, function._schema.is_mutable, (args, kwargs), result)
        return result

    @staticmethod
    def bytes_moved(name, changes_inputs, given, result):
        read, written = ([each for each in tree_leaves(tree) if isinstance(each, torch.Tensor)]
                         for tree in (given, result))
        if not changes_inputs:
            storages = {each.untyped_storage()._cdata for each in read}
            written = [each for each in written if each.untyped_storage()._cdata not in storages]
        if not written:
            return 0
        moved = sum(map(bytes_of, written))
        if name == "copy_":
            read = read[1:]
        if name not in NOT_READ:
            moved += sum(map(bytes_of, {id(each): each for each in read}.values()))
        # Two kernels each: zeros, then the slice; the gradient of the input, then those of weight and bias.
        if name in ("slice_backward", "select_backward"):
            moved += bytes_of(read[0])
        if name == "native_layer_norm_backward":
            moved += bytes_of(read[0]) + bytes_of(read[1])
        return moved


def run_backward(root):
    """As autograd's engine does, which needs a GPU for tensors of one."""
    waiting, seen, stack = collections.Counter(), {root}, [root]
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is None:
                continue
            waiting[node] += 1
            if node not in seen:
                seen.add(node)
                stack.append(node)
    gradients, ready = {root: {0: torch.ones([], device="cuda")}}, [root]
    while ready:
        node = ready.pop()
        given = gradients.pop(node)
        inputs = []
        for index, meta in enumerate(node._input_metadata):
            gradient = given.get(index)
            if gradient is not None:
                gradient = gradient.sum_to_size(meta.shape).to(meta.dtype)
            inputs.append(gradient)
        outputs = () if type(node).__name__ == "AccumulateGrad" else node(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for (child, index), gradient in zip(node.next_functions, outputs):
            if child is None:
                continue
            slot = gradients.setdefault(child, {})
            if gradient is not None:
                slot[index] = slot[index] + gradient if index in slot else gradient
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)


def configuration(kind, layers, widths):
    d, q, k, f = (widths[each] for each in "dqkf")
    common = {"num_hidden_layers": layers, "hidden_size": d, "vocab_size": widths["vocabulary"], "use_cache": False,
              "tie_word_embeddings": False, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    if kind == "gpt2":
        return {**common, "num_attention_heads": d // HEAD, "n_inner": f, "resid_pdrop": 0, "embd_pdrop": 0,
                "attn_pdrop": 0}
    if kind == "opt":
        return {**common, "num_attention_heads": d // HEAD, "ffn_dim": f, "word_embed_proj_dim": d, "dropout": 0,
                "attention_dropout": 0}
    if kind == "gpt_neox":
        return {**common, "num_attention_heads": d // HEAD, "intermediate_size": f}
    if kind == "stablelm":
        return {**common, "num_attention_heads": d // HEAD, "num_key_value_heads": k // HEAD, "intermediate_size": f}
    return {**common, "num_attention_heads": q // HEAD, "num_key_value_heads": k // HEAD, "head_dim": HEAD,
            "intermediate_size": f}


def count(kind, precision, layers, samples, **widths):
    """Bytes of a step: moved in the forward and in the backward pass, and kept between them."""
    kept, counter = {}, Counter()

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage._cdata] = storage
        return tensor

    config = CONFIG_MAPPING[kind](**configuration(kind, layers, {**WIDTHS, **widths}))
    config.dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
    with FakeTensorMode(), torch.device("cuda"):
        # OPT's training mode draws layers to leave out; without dropout nothing else differs.
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").eval()
        tokens = torch.zeros(samples, SEQUENCE, dtype=torch.long)
        torch.set_autocast_enabled("cuda", precision == "autocast")
        torch.set_autocast_dtype("cuda", torch.bfloat16)
        torch.autocast_increment_nesting()
        with counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            loss = model(input_ids=tokens, labels=tokens).loss
            torch.autocast_decrement_nesting()
            torch.clear_autocast_cache()
            torch.set_autocast_enabled("cuda", False)
            bytes_kept = sum(each.nbytes() for each in kept.values())
            counter.phase = "backward"
            with torch.no_grad():
                run_backward(loss.grad_fn)
    return {"forward": counter.moved["forward"], "backward": counter.moved["backward"], "kept": bytes_kept}


def combined(parts):
    """The sum of counts, each with its factor."""
    return {what: sum(factor * counts[what] for factor, counts in parts) for what in ("forward", "backward", "kept")}


def of_a_token(kind, precision, of_a_layer, **widths):
    """Bytes that a layer, or else all outside of layers, moves and keeps for each token."""
    per_sample = [combined([(1, count(kind, precision, layers, 2, **widths)),
                            (-1, count(kind, precision, layers, 1, **widths))]) for layers in (2, 3)]
    parts = [(1, per_sample[1]), (-1, per_sample[0])] if of_a_layer else [(3, per_sample[0]), (-2, per_sample[1])]
    return combined([(factor / SEQUENCE, counts) for factor, counts in parts])


def by_width(kind, precision):
    usual, result = of_a_token(kind, precision, True), {}
    for width in WIDTHS_OF.get(kind, "dqkf"):
        wider = of_a_token(kind, precision, True, **{width: 2 * WIDTHS[width]})
        result[width] = combined([(1 / WIDTHS[width], wider), (-1 / WIDTHS[width], usual)])
    return result


def of_a_logit(precision):
    wider, usual = (of_a_token("llama", precision, False, vocabulary=size) for size in (256, 128))
    return combined([(1 / 128, wider), (-1 / 128, usual)])


def of_a_parameter(precision):
    """Bytes of a parameter in a layer, whatever the number of tokens."""
    constant = [combined([(2, count("llama", precision, layers, 1)), (-1, count("llama", precision, layers, 2))])
                for layers in (2, 3)]
    d, q, k, f = (WIDTHS[each] for each in "dqkf")
    parameters = 2 * d * (q + k) + 3 * d * f
    return combined([(1 / parameters, constant[1]), (-1 / parameters, constant[0])])


def rounded(counts):
    return {what: round(number, 2) for what, number in counts.items()}


def main():
    content = {"torch": torch.__version__, "transformers": transformers.__version__, "layers": {}, "logit": {},
               "parameter": {}}
    for precision in PRECISIONS:
        content["logit"][precision] = rounded(of_a_logit(precision))
        content["parameter"][precision] = rounded(of_a_parameter(precision))
        print(precision, "logit", content["logit"][precision], "parameter", content["parameter"][precision])
        for kind in TYPES:
            counts = {width: rounded(each) for width, each in by_width(kind, precision).items()}
            content["layers"].setdefault(kind, {})[precision] = counts
            print(kind, precision, counts, flush=True)
    with lzma.open(sys.argv[1], "wt") as out:
        json.dump(content, out)


main()
