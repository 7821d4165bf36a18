#include "replay/generate/torchtitan/memory.hpp"

#include <gtest/gtest.h>

#include "replay/generate/torchtitan/models.hpp"

namespace ringmark::replay::torchtitan {
namespace {

/// In GiB, of Llama 3.1 8B in a step without pipeline.
double part_of(const Settings& settings, const std::string& what) {
  constexpr double bytes_of_GiB = 1ULL << 30U;
  std::vector<std::unique_ptr<Chunk>> chunks;
  chunks.push_back(std::make_unique<Chunk>(make_chunk(settings, 0)));
  for (const auto& each :
       memory_of(settings, chunks, {{.kind = Action::Kind::forward}, {.kind = Action::Kind::backward}})) {
    if (each.what == what) return each.bytes / bytes_of_GiB;
  }
  return 0;
}

TEST(TorchtitanMemory, has_states_in_float32_that_shards_divide) {
  auto settings = shipped_settings("llama3", "8b");
  const double elements = 8.03e9 / static_cast<double>(1ULL << 30U);
  EXPECT_NEAR(part_of(settings, "weights"), 4 * elements, 0.1);
  EXPECT_NEAR(part_of(settings, "optimizer states"), 8 * elements, 0.1);
  settings.sizes.shards = 8;
  EXPECT_NEAR(part_of(settings, "weights"), elements / 2, 0.1);
}

TEST(TorchtitanMemory, keeps_gathered_weights_only_if_asked_to) {
  auto settings = shipped_settings("llama3", "8b");
  settings.sizes.shards = 8;
  const double two_units = part_of(settings, "gathered weights");
  settings.reshard = Reshard::never;
  EXPECT_GT(part_of(settings, "gathered weights"), 5 * two_units);
}

TEST(TorchtitanMemory, has_inputs_of_layers_alone_if_they_are_computed_again) {
  auto settings = shipped_settings("llama3", "8b");
  const double kept = part_of(settings, "activations");
  settings.recomputes = true;
  EXPECT_LT(part_of(settings, "activations, recomputed"), kept / 10);
}

}  // namespace
}  // namespace ringmark::replay::torchtitan
