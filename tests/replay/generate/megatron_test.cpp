#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

// Megatron's default of --ddp-bucket-size: the larger of 40 million and a million for each rank.
TEST(Megatron, has_larger_buckets_on_many_ranks) {
  const auto model = shipped("opt-1.3b");
  StepSettings settings;
  settings.framework = *parse_framework("megatron");
  settings.overlap_comm = true;
  const auto with = [&](int ranks, std::optional<std::uint64_t> bucket) {
    settings.ranks = ranks;
    settings.ddp_bucket = bucket;
    return reduced(model, settings);
  };
  EXPECT_EQ(with(8, {}), with(8, 40'000'000));
  EXPECT_NE(with(8, {}), with(8, 20'000'000));
  EXPECT_EQ(with(128, {}), with(128, 128'000'000));
  EXPECT_NE(with(128, {}), with(128, 40'000'000));
}

}  // namespace
}  // namespace ringmark::replay
