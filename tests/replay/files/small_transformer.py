"""A small transformer of any shape for recordings, and its description as Ringmark reads it."""
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self, m):
        super().__init__()
        norm = nn.LayerNorm if m["norm"] == "layer" else RmsNorm
        d, f = m["width"], m["ffn"]
        self.norm1, self.norm2 = norm(d), norm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=m["bias"]) for _ in range(4))
        if m["adapters"]:
            self.q_a, self.q_b = nn.Linear(d, m["adapters"], bias=False), nn.Linear(m["adapters"], d, bias=False)
        self.up, self.down = nn.Linear(d, f, bias=m["bias"]), nn.Linear(f, d, bias=m["bias"])
        self.adapters = m["adapters"]

    def forward(self, x):
        y = self.norm1(x)
        q = self.q(y)
        if self.adapters:
            q = q + self.q_b(self.q_a(y))
        x = x + self.o(nn.functional.scaled_dot_product_attention(q, self.k(y), self.v(y)))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    ORDER = ("norm1", "q", "q_a", "q_b", "k", "v", "o", "norm2", "up", "down")


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class Transformer(nn.Module):
    def __init__(self, m):
        super().__init__()
        d = m["width"]
        self.embed = nn.Embedding(m["vocabulary"], d)
        self.positions = nn.Embedding(16, d) if m["positions"] else None
        self.layers = nn.ModuleList(Layer(m) for _ in range(m["layers"]))
        self.norm = nn.LayerNorm(d) if m["norm"] == "layer" else RmsNorm(d)
        self.head = nn.Linear(d, m["vocabulary"], bias=False)
        self.recomputes = False  # by torch.utils.checkpoint, which adds no module
        if m["tied"]:
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.recomputes else layer(x)
        return self.head(self.norm(x))


def build(m):
    torch.manual_seed(1)
    model = Transformer(m)
    kept = {"embed": ("embed.", "positions."), "norms": ("norm",), "head": ("head.",), "first": ("layers.0.",),
            "embed_first": ("embed.", "positions.", "layers.0."), "": ()}
    for name, parameter in model.named_parameters():
        if m["frozen"] == "base":
            frozen = "q_a" not in name and "q_b" not in name
        elif m["frozen"] == "norms":
            frozen = "norm" in name
        else:
            frozen = name.startswith(kept[m["frozen"]]) if m["frozen"] else False
        parameter.requires_grad = not frozen
    return model


def describe(model, name):
    """The model description that Ringmark reads."""

    def node(path, module):
        own = [f"{path}.{each}" for each, _ in module.named_parameters(recurse=False)]
        own = ["embed.weight" if tied and each == "head.weight" else each for each in own]
        result = {"name": path, "parameters": own}
        if isinstance(module, nn.Embedding):
            result["differentiable_input"] = False
        return result

    tied = model.head.weight is model.embed.weight
    children = [node("embed", model.embed)]
    if model.positions is not None:
        children.append(node("positions", model.positions))
    for index, layer in enumerate(model.layers):
        path = f"layers.{index}"
        children.append({"name": path, "children": [node(f"{path}.{each}", getattr(layer, each))
                                                    for each in Layer.ORDER if hasattr(layer, each)]})
    children += [node("norm", model.norm), node("head", model.head)]
    parameters = []
    for each, parameter in model.named_parameters():
        parameters.append({"name": each, "shape": list(parameter.shape)})
        if not parameter.requires_grad:
            parameters[-1]["requires_grad"] = False
    return {"name": name, "parameters": parameters,
            "forward": {"name": "model", "differentiable_input": False, "children": children}}


def random_model(choose):
    frozen = choose.choice(["", "", "", "embed", "norms", "head", "first", "embed_first", "base"])
    return {"layers": choose.randint(1, 5), "width": choose.choice([8, 12, 16]), "ffn": choose.choice([24, 40, 50]),
            "vocabulary": choose.choice([37, 64, 101]), "norm": choose.choice(["layer", "rms"]),
            "bias": choose.random() < 0.5, "adapters": choose.choice([2, 3]) if frozen == "base" else 0,
            "positions": choose.random() < 0.3, "tied": choose.random() < 0.25, "frozen": frozen}
