#include "replay/generate/layer_work.hpp"

#include <utility>

namespace ringmark::replay {
namespace {

/// Host time per layer of experts: routing, permutation and counts are some hundred small kernels and a wait for the
/// device. From published steps of Qwen3-235B with one sequence in a micro-batch, on B300, B200 and H100 without CUDA
/// graphs: 9.4 to 11.1 ms a layer in both passes, and 4.2 ms more with full recomputation.
constexpr double host_us_forward = 4000, host_us_backward = 6500;

Event& compute(PassBuilder& pass, DataType type, const std::string& module, const Product& product,
               std::vector<Operator> operators, bool has_loss) {
  if (has_loss) operators.push_back({Operator::Kind::loss, product.rows, product.outputs});
  const double weights = product.inputs * product.outputs;
  const double elements = weights + product.rows * (product.inputs + product.outputs);
  return pass.compute(2 * weights * product.rows, static_cast<double>(size_bytes(type)) * elements, module,
                      std::move(operators));
}

}  // namespace

void multiply(PassBuilder& pass, DataType type, const std::string& module, const Product& product, bool has_loss) {
  compute(pass, type, module, product, {{Operator::Kind::product, product.rows, product.outputs, product.inputs}},
          has_loss);
}

Event& multiply_back(PassBuilder& pass, DataType type, const std::string& module, const Product& product,
                     Gradient gradient, bool has_loss) {
  const auto shape = gradient == Gradient::of_input
                         ? Operator{Operator::Kind::product, product.rows, product.inputs, product.outputs}
                         : Operator{Operator::Kind::product, product.outputs, product.inputs, product.rows};
  return compute(pass, type, module, product, {shape}, has_loss);
}

std::vector<NamedProduct> latent_products(const Transformer& model, double tokens, double narrow_tokens,
                                          double tensor_ranks) {
  const auto& latent = model.latent;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double hidden = number(model.hidden);
  std::vector<NamedProduct> products;
  const bool is_narrow = latent.query_rank > 0;
  if (is_narrow) products.push_back({"q_down", {narrow_tokens, hidden, number(latent.query_rank)}});
  products.push_back({"kv_down", {narrow_tokens, hidden, number(latent.key_rank + latent.rotary_width)}});
  products.push_back(
      {"q_up", {tokens, is_narrow ? number(latent.query_rank) : hidden, number(model.query_width()) / tensor_ranks}});
  products.push_back({"kv_up",
                      {tokens, number(latent.key_rank),
                       number(model.heads * (latent.plain_width + latent.value_width)) / tensor_ranks}});
  return products;
}

void attend(PassBuilder& pass, const Transformer& model, double tokens, double sequence, double tensor_ranks) {
  const double times = pass.phase == Phase::backward ? 2 : 1;
  const Operator core{.kind = Operator::Kind::attention,
                      .rows = tokens,
                      .columns = sequence,
                      .inner = static_cast<double>(model.query_width() + model.result_width()) / 2 / tensor_ranks,
                      .heads = static_cast<double>(model.heads) / tensor_ranks};
  pass.compute(times * 4 * core.attended() * core.inner * core.rows, 0, "attention", {core});
}

void route(PassBuilder& pass, DataType type, const Transformer& model, double tokens, bool is_in_graph) {
  const auto hidden = static_cast<double>(model.hidden), experts = static_cast<double>(model.experts.count);
  const bool is_backward = pass.phase == Phase::backward;
  const double times = is_backward ? 2 : 1;
  pass.compute(times * 2 * tokens * hidden * experts, times * static_cast<double>(size_bytes(type)) * tokens * hidden,
               "router", {{Operator::Kind::product, tokens, experts, times * hidden}})
      .host_us = is_in_graph   ? 0
                 : is_backward ? host_us_backward
                               : host_us_forward;
}

}  // namespace ringmark::replay
