#include "analysis/plan/parallelism.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

constexpr int most_stages = 64, least_tokens = 4096;

template <class Accept>
std::vector<int> numbers(int most, const Accept& accept) {
  std::vector<int> found;
  for (int each = 1; each <= most; ++each) {
    if (accept(each)) found.push_back(each);
  }
  return found;
}

bool is_power_of_two(int number) { return (number & (number - 1)) == 0; }

/// Those that were given, or else those to search.
const std::vector<int>& either(const std::vector<int>& given, const std::vector<int>& searched) {
  return given.empty() ? searched : given;
}

}  // namespace

replay::megatron::Settings settings_of(const replay::Transformer& model, const Parallelism& parallelism) {
  return replay::megatron::usual_settings(model, {.tensor = parallelism.tensor,
                                                  .pipeline = parallelism.pipeline,
                                                  .context = parallelism.context,
                                                  .expert = parallelism.expert,
                                                  .expert_tensor = model.experts.count > 0 ? 1 : 0,
                                                  .chunks = parallelism.chunks,
                                                  .shards_sequence = parallelism.tensor > 1});
}

std::vector<Parallelism> parallelisms_of(const ParallelSearch& search, const replay::Transformer& model, int gpus,
                                         int gpus_per_node, int sequence) {
  const int layers = static_cast<int>(model.layers);
  // Embedding and loss may count as layers.
  const auto divides_layers = [&](int stages) { return layers % stages == 0 || (layers + 2) % stages == 0; };
  const auto tensor = numbers(gpus_per_node, is_power_of_two);
  const auto pipeline = numbers(std::min({most_stages, layers, gpus}),
                                [&](int each) { return is_power_of_two(each) || divides_layers(each); });
  const auto context = numbers(std::max(1, sequence / least_tokens), is_power_of_two);
  const auto expert = numbers(std::max(1, model.experts.count), is_power_of_two);
  std::vector<Parallelism> found;
  const auto add_if_possible = [&](const Parallelism& each) {
    auto settings = settings_of(model, each);
    settings.ranks = gpus;
    settings.sequence = static_cast<std::uint64_t>(sequence);
    settings.global_batch = static_cast<std::uint64_t>(settings.data_parallel());
    if (replay::megatron::problems_of(settings).empty()) found.push_back(each);
  };
  for (const int of_tensor : either(search.tensor, tensor))
    for (const int of_pipeline : either(search.pipeline, pipeline)) {
      const auto chunks = numbers(of_pipeline == 1 ? 1 : layers / of_pipeline,
                                  [&](int each) { return each == 1 || divides_layers(of_pipeline * each); });
      for (const int of_context : either(search.context, context)) {
        if (gpus % (of_tensor * of_pipeline * of_context) != 0) continue;
        for (const int of_chunks : either(search.chunks, chunks))
          for (const int of_experts : either(search.expert, expert))
            add_if_possible({of_tensor, of_pipeline, of_chunks, of_context, of_experts});
      }
    }
  return found;
}

std::string parallel_words(const Parallelism& parallelism, double copies) {
  std::string words;
  const auto add = [&](const char* kind, const std::string& size) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", kind, size);
  };
  const auto& [tensor, pipeline, chunks, context, expert] = parallelism;
  if (tensor > 1) add("tensor", fmt::format("{}", tensor));
  if (pipeline > 1)
    add("pipeline", chunks > 1 ? fmt::format("{} x {}", pipeline, chunks) : fmt::format("{}", pipeline));
  if (context > 1) add("context", fmt::format("{}", context));
  if (expert > 1) add("expert", fmt::format("{}", expert));
  add("data", fmt::format("{}", copies));
  return words;
}

}  // namespace ringmark::analysis
