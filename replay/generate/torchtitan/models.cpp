#include "replay/generate/torchtitan/models.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::replay::torchtitan {
namespace {

struct Llama {
  std::string_view flavor;
  std::uint64_t layers, hidden, heads, key_heads, feed_forward, vocabulary;
  std::uint64_t batch, sequence;
  int tensor;
  bool recomputes;
  Schedule schedule;
};

/// torchtitan 0.3.0, models/llama3.
constexpr std::array llamas{Llama{"debugmodel", 6, 256, 16, 16, 768, 2048, 8, 2048, 1, false, Schedule::interleaved},
                            Llama{"8b", 32, 4096, 32, 8, 14336, 128256, 1, 8192, 1, false, Schedule::one_f_one_b},
                            Llama{"70b", 80, 8192, 64, 8, 28672, 128256, 8, 8192, 8, true, Schedule::one_f_one_b},
                            Llama{"405b", 126, 16384, 128, 8, 53248, 128256, 2, 8192, 8, true, Schedule::one_f_one_b}};

struct DeepSeek {
  std::string_view flavor;
  std::uint64_t layers, hidden, heads, query_rank, feed_forward, vocabulary;
  int experts, of_token, dense_layers, expert_ranks;
  std::uint64_t expert_feed_forward, shared_experts, batch, sequence;
};

/// models/deepseek_v3.
constexpr std::array deepseeks{DeepSeek{"debugmodel", 6, 256, 16, 0, 1024, 2048, 8, 3, 1, 1, 256, 2, 8, 2048},
                               DeepSeek{"16b", 27, 2048, 16, 0, 10944, 102400, 64, 6, 1, 8, 1408, 2, 4, 4096},
                               DeepSeek{"671b", 61, 7168, 128, 1536, 18432, 129280, 256, 8, 3, 2, 2048, 1, 4, 4096}};

Settings settings_of(const Llama& row) {
  Settings settings;
  settings.model = {.layers = row.layers,
                    .hidden = row.hidden,
                    .feed_forward = row.feed_forward,
                    .heads = row.heads,
                    .key_heads = row.key_heads,
                    .head_width = row.hidden / row.heads,
                    .vocabulary = row.vocabulary};
  settings.sizes.tensor = row.tensor;
  settings.batch = row.batch;
  settings.sequence = row.sequence;
  settings.recomputes = row.recomputes;
  settings.schedule = row.schedule;
  return settings;
}

Settings settings_of(const DeepSeek& row) {
  Settings settings;
  settings.model = {.layers = row.layers,
                    .hidden = row.hidden,
                    .feed_forward = row.feed_forward,
                    .heads = row.heads,
                    .key_heads = row.heads,
                    .vocabulary = row.vocabulary,
                    .latent = {row.query_rank, 512, 128, 64, 128},
                    .experts = {.count = row.experts,
                                .of_token = row.of_token,
                                .feed_forward = row.expert_feed_forward,
                                .shared_feed_forward = row.expert_feed_forward * row.shared_experts,
                                .dense_layers = row.dense_layers,
                                .of_layers = {}}};
  settings.sizes.expert = row.expert_ranks;
  settings.batch = row.batch;
  settings.sequence = row.sequence;
  settings.schedule = Schedule::interleaved;
  return settings;
}

template <class Rows>
Settings find(const Rows& rows, const std::string& family, const std::string& flavor) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    names.push_back(row.flavor);
    if (row.flavor != flavor) continue;
    auto settings = settings_of(row);
    auto& model = settings.model;
    model.name = fmt::format("{}_{}", family, flavor);
    model.is_tied = model.has_biases = model.has_query_biases = model.has_norm_biases = false;
    model.is_gated = true;
    return settings;
  }
  throw BadUsage(fmt::format("{}: torchtitan's flavor '{}' is not modelled; give one of {}", family, flavor,
                             fmt::join(names, ", ")));
}

}  // namespace

Settings shipped_settings(const std::string& family, const std::string& flavor) {
  std::string lower = flavor;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  if (family == "llama3") return find(llamas, family, lower);
  if (family == "deepseek_v3") return find(deepseeks, family, lower);
  throw BadUsage(fmt::format("torchtitan's model '{}' is not modelled; give llama3 or deepseek_v3", family));
}

}  // namespace ringmark::replay::torchtitan
