// Llama's layers, and those that differ from them in a norm, a bias or an activation.
#include "replay/model/model_builder.hpp"

namespace ringmark::replay {
namespace {

class LlamaBuilder : ModelBuilder {
 public:
  explicit LlamaBuilder(const Architecture& a) : ModelBuilder(a) {}

  Model build() {
    model_.dimensions.attention_width = a_.heads * head_width();
    auto embedding = lookup("model.embed_tokens", {{"weight", {a_.vocabulary, a_.hidden}}});
    std::vector<Module> layers;
    for (std::uint64_t i = 0; i < a_.layers; ++i) layers.push_back(layer(i));
    auto last = norm("model.norm");
    return finish({std::move(embedding)}, std::move(layers), {std::move(last)}, {"model"});
  }

 private:
  Module norm(const std::string& name) {
    Tensors tensors{{"weight", {a_.hidden}}};
    if (a_.norm_bias) tensors.push_back({"bias", {a_.hidden}});
    return leaf(name, tensors);
  }

  Module layer(std::uint64_t number) {
    const auto at = fmt::format("model.layers.{}", number);
    auto attention = attention_of(at + ".self_attn");
    if (a_.windowed.empty() || a_.windowed[number]) attention.attention_window = a_.window;
    auto mlp = mlp_of(at + ".mlp");
    if (a_.norms == Architecture::Norms::results) {
      auto after = norm(at + ".post_attention_layernorm");
      return container(at, {attention, after, mlp, norm(at + ".post_feedforward_layernorm")});
    }
    auto before = norm(at + ".input_layernorm");
    if (a_.norms == Architecture::Norms::shared) return container(at, {before, attention, mlp});
    auto after = norm(at + ".post_attention_layernorm");
    if (a_.norms == Architecture::Norms::inputs_and_results) {
      auto before_mlp = norm(at + ".pre_feedforward_layernorm");
      auto after_mlp = norm(at + ".post_feedforward_layernorm");
      return container(at, {before, attention, after, before_mlp, mlp, after_mlp});
    }
    if (a_.is_fused)
      return container(at, {before, attention, leaf(at + ".resid_attn_dropout", {}), after, mlp,
                            leaf(at + ".resid_mlp_dropout", {})});
    if (a_.drops_out) return container(at, {before, attention, after, mlp, leaf(at + ".dropout", {})});
    return container(at, {before, attention, after, mlp});
  }

  Module attention_of(const std::string& at) {
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
    const bool is_of_all = a_.head_norms == Architecture::HeadNorms::of_all_heads;
    auto q_norm = leaf(at + ".q_norm", {{"weight", {is_of_all ? query : head_width()}}});
    auto k_norm = leaf(at + ".k_norm", {{"weight", {is_of_all ? key : head_width()}}});
    if (a_.head_norms == Architecture::HeadNorms::after_all) return container(at, {q, k, v, q_norm, k_norm, out});
    return container(at, {q, q_norm, k, k_norm, v, out});
  }

  Module mlp_of(const std::string& at) {
    const auto d = a_.hidden, f = a_.feed_forward;
    if (a_.is_fused) {
      auto in = linear(at + ".gate_up_proj", 2 * f, d);
      return container(at, {in, leaf(at + ".activation_fn", {}), linear(at + ".down_proj", d, f)});
    }
    if (!a_.is_gated) {
      auto in = linear(at + ".c_fc", f, d, a_.mlp_bias);
      return container(at, {in, leaf(at + ".act", {}), linear(at + ".c_proj", d, f, a_.mlp_bias)});
    }
    auto gate = linear(at + ".gate_proj", f, d, a_.mlp_bias);
    auto up = linear(at + ".up_proj", f, d, a_.mlp_bias);
    auto down = linear(at + ".down_proj", d, f, a_.mlp_bias);
    return container(at, {gate, leaf(at + ".act_fn", {}), up, down});
  }
};

}  // namespace

Model make_llama(const Architecture& architecture) { return LlamaBuilder(architecture).build(); }

}  // namespace ringmark::replay
