#include "analysis/plan/models.hpp"

#include <algorithm>

namespace ringmark::analysis {
namespace {

/// Untied embedding and head, no biases; per layer q, k, v, o, three matrices of the feed-forward block, two norms.
ModelShape llama(const char* name, double layers, double hidden, double feed_forward, double heads, double key_heads,
                 double vocabulary) {
  const double key = key_heads * hidden / heads;
  const double layer = 2 * hidden * hidden + 2 * key * hidden + 3 * feed_forward * hidden + 2 * hidden;
  return {name, layers * layer + 2 * vocabulary * hidden + hidden, layers, hidden, vocabulary, 2};
}

/// Tied embedding, learned positions (two more than the sequence), biases everywhere.
ModelShape opt(const char* name, double layers, double hidden, double vocabulary) {
  const double layer = 12 * hidden * hidden + 13 * hidden;
  return {name, layers * layer + (vocabulary + 2050) * hidden + 2 * hidden, layers, hidden, vocabulary, 2};
}

/// As OPT, with positions for the sequence alone.
ModelShape gpt2(const char* name, double layers, double hidden, double vocabulary) {
  const double layer = 12 * hidden * hidden + 13 * hidden;
  return {name, layers * layer + (vocabulary + 2048) * hidden + 2 * hidden, layers, hidden, vocabulary, 2};
}

}  // namespace

double usual_gather_ratio(double parameters) { return std::clamp(2 - 1e9 / parameters, 1.0, 2.0); }

const std::vector<ModelShape>& shipped_models() {
  static const std::vector<ModelShape> models{llama("llama-440m", 24, 1024, 3712, 16, 16, 32000),
                                              llama("llama-8b", 32, 4096, 14336, 32, 8, 128256),
                                              opt("opt-125m", 12, 768, 50272),
                                              gpt2("cerebras-590m", 18, 1536, 50257),
                                              opt("opt-1.3b", 24, 2048, 50272),
                                              gpt2("cerebras-2.7b", 32, 2560, 50257),
                                              llama("llama2-7b", 32, 4096, 11008, 32, 32, 32000),
                                              opt("opt-30b", 48, 7168, 50272),
                                              llama("llama2-70b", 80, 8192, 28672, 64, 8, 32000)};
  return models;
}

std::optional<ModelShape> find_model(const std::string& name) {
  const auto& models = shipped_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const ModelShape& each) { return each.name == name; });
  return found == models.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark::analysis
