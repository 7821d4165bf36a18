#include "replay/model/architectures.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::replay {
namespace {

const char* name_of(Architecture::Family family) {
  switch (family) {
    case Architecture::Family::llama:
      return "llama";
    case Architecture::Family::opt:
      return "opt";
    case Architecture::Family::gpt2:
      return "gpt2";
  }
  return "";
}

/// Modules without tensors are included: stage 3 prefetches when it enters them.
class Builder {
 public:
  explicit Builder(const Architecture& a) : a_(a) {
    model_.name = a.name;
    model_.dimensions = {a.layers, a.hidden, a.heads, a.vocabulary, a.positions};
    model_.forward.differentiable_input = false;
    model_.dimensions.key_width = a.key_heads * head_width();
    model_.dimensions.feed_forward = a.feed_forward;
    model_.norms_cast = false;
    model_.type = a.type.empty() ? name_of(a.family) : a.type;
  }

  Model llama() {
    const auto d = a_.hidden;
    model_.dimensions.attention_width = a_.heads * head_width();
    auto embedding = lookup("model.embed_tokens", {{"weight", {a_.vocabulary, d}}});
    std::vector<Module> layers;
    for (std::uint64_t i = 0; i < a_.layers; ++i) {
      const auto at = fmt::format("model.layers.{}", i);
      auto attention = llama_attention(at + ".self_attn");
      if (a_.windowed.empty() || a_.windowed[i]) attention.attention_window = a_.window;
      auto mlp = llama_mlp(at + ".mlp");
      auto before = leaf(at + ".input_layernorm", {{"weight", {d}}});
      auto after = leaf(at + ".post_attention_layernorm", {{"weight", {d}}});
      if (a_.is_fused) {
        layers.push_back(container(at, {before, attention, leaf(at + ".resid_attn_dropout", {}), after, mlp,
                                        leaf(at + ".resid_mlp_dropout", {})}));
      } else if (a_.norms_results) {
        auto before_mlp = leaf(at + ".pre_feedforward_layernorm", {{"weight", {d}}});
        auto after_mlp = leaf(at + ".post_feedforward_layernorm", {{"weight", {d}}});
        layers.push_back(container(at, {before, attention, after, before_mlp, mlp, after_mlp}));
      } else {
        layers.push_back(container(at, {before, attention, after, mlp}));
      }
    }
    auto norm = leaf("model.norm", {{"weight", {d}}});
    return finish({std::move(embedding)}, std::move(layers), {std::move(norm)}, {"model"});
  }

  Model opt() {
    const auto d = a_.hidden, f = a_.feed_forward;
    auto tokens = lookup("model.decoder.embed_tokens", {{"weight", {a_.vocabulary, d}}});
    auto positions = lookup("model.decoder.embed_positions", {{"weight", {a_.positions + 2, d}}});
    auto norm = leaf("model.decoder.final_layer_norm", {{"weight", {d}}, {"bias", {d}}});
    std::vector<Module> layers;
    for (std::uint64_t i = 0; i < a_.layers; ++i) {
      const auto at = fmt::format("model.decoder.layers.{}", i);
      auto k = leaf(at + ".self_attn.k_proj", {{"weight", {d, d}}, {"bias", {d}}});
      auto v = leaf(at + ".self_attn.v_proj", {{"weight", {d, d}}, {"bias", {d}}});
      auto q = leaf(at + ".self_attn.q_proj", {{"weight", {d, d}}, {"bias", {d}}});
      auto out = leaf(at + ".self_attn.out_proj", {{"weight", {d, d}}, {"bias", {d}}});
      auto before = leaf(at + ".self_attn_layer_norm", {{"weight", {d}}, {"bias", {d}}});
      auto up = leaf(at + ".fc1", {{"weight", {f, d}}, {"bias", {f}}});
      auto down = leaf(at + ".fc2", {{"weight", {d, f}}, {"bias", {d}}});
      auto after = leaf(at + ".final_layer_norm", {{"weight", {d}}, {"bias", {d}}});
      auto activation = leaf(at + ".activation_fn", {});
      layers.push_back(
          container(at, {before, container(at + ".self_attn", {q, k, v, out}), after, up, activation, down}));
    }
    return finish({std::move(tokens), std::move(positions)}, std::move(layers), {std::move(norm)},
                  {"model", "model.decoder"});
  }

  Model gpt2() {
    const auto d = a_.hidden, f = a_.feed_forward;
    auto tokens = lookup("transformer.wte", {{"weight", {a_.vocabulary, d}}});
    auto positions = lookup("transformer.wpe", {{"weight", {a_.positions, d}}});
    std::vector<Module> layers;
    for (std::uint64_t i = 0; i < a_.layers; ++i) {
      const auto at = fmt::format("transformer.h.{}", i);
      auto before = leaf(at + ".ln_1", {{"weight", {d}}, {"bias", {d}}});
      auto qkv = leaf(at + ".attn.c_attn", {{"weight", {d, 3 * d}}, {"bias", {3 * d}}});
      auto out = leaf(at + ".attn.c_proj", {{"weight", {d, d}}, {"bias", {d}}});
      auto after = leaf(at + ".ln_2", {{"weight", {d}}, {"bias", {d}}});
      auto up = leaf(at + ".mlp.c_fc", {{"weight", {d, f}}, {"bias", {f}}});
      auto down = leaf(at + ".mlp.c_proj", {{"weight", {f, d}}, {"bias", {d}}});
      auto attention = container(at + ".attn", {qkv, out, leaf(at + ".attn.resid_dropout", {})});
      auto mlp = container(at + ".mlp", {up, leaf(at + ".mlp.act", {}), down, leaf(at + ".mlp.dropout", {})});
      layers.push_back(container(at, {before, attention, after, mlp}));
    }
    auto norm = leaf("transformer.ln_f", {{"weight", {d}}, {"bias", {d}}});
    return finish({std::move(tokens), std::move(positions), leaf("transformer.drop", {})}, std::move(layers),
                  {std::move(norm)}, {"transformer"});
  }

 private:
  using Tensors = std::vector<Parameter>;

  /// Tensors are registered in the order of these calls, so callers build modules before they arrange them.
  Module leaf(const std::string& name, const Tensors& tensors) {
    Module module;
    module.name = name;
    for (const auto& tensor : tensors) {
      module.parameters.push_back(static_cast<int>(model_.parameters.size()));
      model_.parameters.push_back({name + "." + tensor.name, tensor.shape});
    }
    return module;
  }
  Module lookup(const std::string& name, const Tensors& tensors) {
    auto module = leaf(name, tensors);
    module.differentiable_input = false;
    return module;
  }
  Module linear(const std::string& name, std::uint64_t out, std::uint64_t in, bool has_bias = false) {
    Tensors tensors{{"weight", {out, in}}};
    if (has_bias) tensors.push_back({"bias", {out}});
    return leaf(name, tensors);
  }

  std::uint64_t head_width() const { return a_.head_width > 0 ? a_.head_width : a_.hidden / a_.heads; }

  Module llama_attention(const std::string& at) {
    const auto query = a_.heads * head_width(), key = a_.key_heads * head_width();
    if (a_.is_fused) {
      auto out = linear(at + ".o_proj", a_.hidden, query);
      return container(at, {linear(at + ".qkv_proj", query + 2 * key, a_.hidden), out});
    }
    auto q = linear(at + ".q_proj", query, a_.hidden, a_.attention_bias);
    auto k = linear(at + ".k_proj", key, a_.hidden, a_.attention_bias);
    auto v = linear(at + ".v_proj", key, a_.hidden, a_.attention_bias);
    auto out = linear(at + ".o_proj", a_.hidden, query, a_.output_bias);
    if (a_.head_norms == Architecture::HeadNorms::none) return container(at, {q, k, v, out});
    auto q_norm = leaf(at + ".q_norm", {{"weight", {head_width()}}});
    auto k_norm = leaf(at + ".k_norm", {{"weight", {head_width()}}});
    if (a_.head_norms == Architecture::HeadNorms::after_all) return container(at, {q, k, v, q_norm, k_norm, out});
    return container(at, {q, q_norm, k, k_norm, v, out});
  }

  Module llama_mlp(const std::string& at) {
    const auto d = a_.hidden, f = a_.feed_forward;
    if (a_.is_fused) {
      auto in = linear(at + ".gate_up_proj", 2 * f, d);
      return container(at, {in, leaf(at + ".activation_fn", {}), linear(at + ".down_proj", d, f)});
    }
    auto gate = linear(at + ".gate_proj", f, d, a_.mlp_bias);
    auto up = linear(at + ".up_proj", f, d, a_.mlp_bias);
    auto down = linear(at + ".down_proj", d, f, a_.mlp_bias);
    return container(at, {gate, leaf(at + ".act_fn", {}), up, down});
  }

  static Module container(const std::string& name, std::vector<Module> children) {
    Module module;
    module.name = name;
    module.children = std::move(children);
    return module;
  }

  /// Wraps the body in modules of these names, outermost first, with the head beside it.
  Model finish(std::vector<Module> first, std::vector<Module> layers, std::vector<Module> last,
               const std::vector<std::string>& around) {
    auto head = a_.is_tied ? Module{"lm_head", {first.front().parameters.front()}, {}, true, false}
                           : leaf("lm_head", {{"weight", {a_.vocabulary, a_.hidden}}});
    std::vector<Module> body;
    for (auto* some : {&first, &layers, &last}) {
      for (auto& module : *some) body.push_back(std::move(module));
    }
    for (auto name = around.rbegin(); name != around.rend(); ++name) {
      auto outer = container(*name, std::move(body));
      outer.differentiable_input = false;
      body = {std::move(outer)};
    }
    body.push_back(std::move(head));
    model_.forward.name = a_.name;
    model_.forward.children = std::move(body);
    return std::move(model_);
  }

  const Architecture& a_;
  Model model_;
};

}  // namespace

Model make_model(const Architecture& architecture) {
  Builder builder(architecture);
  switch (architecture.family) {
    case Architecture::Family::llama:
      return builder.llama();
    case Architecture::Family::opt:
      return builder.opt();
    case Architecture::Family::gpt2:
      return builder.gpt2();
  }
  return {};
}

const std::vector<Architecture>& shipped_architectures() {
  using enum Architecture::Family;
  static const std::vector<Architecture> all{
      {"llama-440m", llama, 24, 1024, 3712, 16, 16, 32000, 2048, false},
      {"llama-8b", llama, 32, 4096, 14336, 32, 8, 128256, 8192, false},
      {"opt-125m", opt, 12, 768, 3072, 12, 12, 50272, 2048, true},
      {"cerebras-590m", gpt2, 18, 1536, 6144, 12, 12, 50257, 2048, true},
      {"opt-1.3b", opt, 24, 2048, 8192, 32, 32, 50272, 2048, true},
      {"cerebras-2.7b", gpt2, 32, 2560, 10240, 32, 32, 50257, 2048, true},
      {"llama2-7b", llama, 32, 4096, 11008, 32, 32, 32000, 4096, false},
      {"opt-30b", opt, 48, 7168, 28672, 56, 56, 50272, 2048, true},
      {"llama2-70b", llama, 80, 8192, 28672, 64, 8, 32000, 4096, false},
  };
  return all;
}

std::optional<Architecture> find_architecture(std::string_view name) {
  const auto& all = shipped_architectures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark::replay
