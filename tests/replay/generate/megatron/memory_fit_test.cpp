#include "replay/generate/megatron/memory_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/megatron/load_transformer.hpp"

namespace ringmark::replay::megatron {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double fitted_GiB = 1ULL << 30U;

Settings usual(const char* model, int ranks, std::uint64_t micro_batch) {
  std::vector<std::string> notes;
  StepSettings common;
  common.ranks = ranks;
  common.micro_batch = micro_batch;
  common.sequence = 8192;
  return usual_settings(load_transformer(model, notes), {}, common);
}

std::string change(const Settings& settings, double GiB) {
  return change_that_fits(settings, 8, GiB * fitted_GiB).value_or("nothing");
}

TEST(MegatronMemoryFit, takes_the_mildest_change) {
  const auto settings = usual("llama-8b", 64, 2);
  EXPECT_EQ(change(settings, 1000), "");
  EXPECT_THAT(change(settings, 110), HasSubstr("--micro-batch 1"));
  EXPECT_THAT(change(settings, 110), Not(HasSubstr("--recompute")));
  EXPECT_THAT(change(settings, 80), HasSubstr("--recompute full"));
  EXPECT_EQ(change(settings, 1), "nothing");
}

TEST(MegatronMemoryFit, splits_models_that_do_not_fit_one_device) {
  const auto found = change(usual("llama3-405b", 2048, 1), 80);
  EXPECT_THAT(found, HasSubstr("--tp"));
  EXPECT_THAT(found, HasSubstr("--pp"));
}

}  // namespace
}  // namespace ringmark::replay::megatron
