// The computations of a transformer's layers, as events of a pass.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/pass_builder.hpp"
#include "replay/generate/transformer.hpp"

namespace ringmark::replay {

/// A matrix product: rows × inputs by inputs × outputs.
struct Product {
  double rows = 0, inputs = 0, outputs = 0;
};
struct NamedProduct {
  std::string module;
  Product product;
};
enum class Gradient { of_input, of_weights };

void multiply(PassBuilder& pass, DataType type, const std::string& module, const Product& product,
              bool has_loss = false);
/// A gradient takes as much work as the product. Returns the event, until the next one is added.
Event& multiply_back(PassBuilder& pass, DataType type, const std::string& module, const Product& product,
                     Gradient gradient, bool has_loss = false);

/// The products of latent attention's queries, keys and values. Those that compute the narrow vectors have
/// `narrow_tokens` rows.
std::vector<NamedProduct> latent_products(const Transformer& model, double tokens, double narrow_tokens,
                                          double tensor_ranks);

/// Queries of these tokens times keys and values, for a rank's part of the heads. Causal: a token attends to half of
/// the sequence on average, and the ranks of a context group have equal shares.
void attend(PassBuilder& pass, const Transformer& model, double tokens, double sequence, double tensor_ranks);

/// The product of tokens and the router's weights; two in the backward pass. Includes the host's time for a layer of
/// experts, unless a CUDA graph launches its kernels.
void route(PassBuilder& pass, DataType type, const Transformer& model, double tokens, bool is_in_graph = false);

}  // namespace ringmark::replay
