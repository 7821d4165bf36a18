#include "replay/model/architectures.hpp"

#include <algorithm>

#include "replay/model/model_builder.hpp"

namespace ringmark::replay {
namespace {

class Builder : ModelBuilder {
 public:
  explicit Builder(const Architecture& a) : ModelBuilder(a) {}

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

  Model gpt_neox() {
    const auto d = a_.hidden, f = a_.feed_forward;
    auto tokens = lookup("gpt_neox.embed_in", {{"weight", {a_.vocabulary, d}}});
    std::vector<Module> layers;
    for (std::uint64_t i = 0; i < a_.layers; ++i) {
      const auto at = fmt::format("gpt_neox.layers.{}", i);
      auto before = leaf(at + ".input_layernorm", {{"weight", {d}}, {"bias", {d}}});
      auto after = leaf(at + ".post_attention_layernorm", {{"weight", {d}}, {"bias", {d}}});
      auto qkv = linear(at + ".attention.query_key_value", 3 * d, d, a_.attention_bias);
      auto out = linear(at + ".attention.dense", d, d, a_.attention_bias);
      auto up = linear(at + ".mlp.dense_h_to_4h", f, d, true);
      auto down = linear(at + ".mlp.dense_4h_to_h", d, f, true);
      auto mlp = container(at + ".mlp", {up, leaf(at + ".mlp.act", {}), down});
      layers.push_back(
          container(at, {before, container(at + ".attention", {qkv, out}), leaf(at + ".post_attention_dropout", {}),
                         after, mlp, leaf(at + ".post_mlp_dropout", {})}));
    }
    auto norm = leaf("gpt_neox.final_layer_norm", {{"weight", {d}}, {"bias", {d}}});
    return finish({std::move(tokens), leaf("gpt_neox.emb_dropout", {})}, std::move(layers), {std::move(norm)},
                  {"gpt_neox"});
  }
};

}  // namespace

Model make_model(const Architecture& architecture) {
  Builder builder(architecture);
  switch (architecture.family) {
    case Architecture::Family::llama:
      return make_llama(architecture);
    case Architecture::Family::opt:
      return builder.opt();
    case Architecture::Family::gpt2:
      return builder.gpt2();
    case Architecture::Family::gpt_neox:
      return builder.gpt_neox();
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
      {"llama3-70b", llama, 80, 8192, 28672, 64, 8, 128256, 8192, false},
      {"llama3-405b", llama, 126, 16384, 53248, 128, 8, 128256, 8192, false},
  };
  return all;
}

std::optional<Architecture> find_architecture(std::string_view name) {
  const auto& all = shipped_architectures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark::replay
