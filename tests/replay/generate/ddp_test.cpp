#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/generate/generate_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Three layers, and tensors that none of them uses.
Model with_unused(bool requires_grad) {
  auto model = model_from_description("m", R"(
parameters: [{name: a.weight, shape: [64, 64]}, {name: a.bias, shape: [64]}, {name: u.weight, shape: [100, 64]}, {name: u.bias, shape: [100]},
             {name: b.weight, shape: [64, 64]}, {name: b.bias, shape: [64]}, {name: c.weight, shape: [32, 64]}, {name: c.bias, shape: [32]}]
forward:
  name: model
  children: [{name: a, parameters: [a.weight, a.bias]}, {name: b, parameters: [b.weight, b.bias]}, {name: c, parameters: [c.weight, c.bias]}])");
  for (const std::size_t index : {2, 3}) model.parameters[index].requires_grad = requires_grad;
  return model;
}

StepSettings ddp() {
  StepSettings settings;
  settings.framework = *parse_framework("pytorch-ddp");
  settings.ranks = 2;
  settings.type = DataType::float32;
  return settings;
}

// As PyTorch 1.13's profiler showed it: one bucket of all, and a map of the tensors that were used.
TEST(Ddp, that_finds_unused_parameters_reduces_all_and_a_map) {
  auto settings = ddp();
  settings.find_unused_parameters = true;
  EXPECT_THAT(reduced(with_unused(true), settings), ElementsAre(16'900, 8));
  EXPECT_THAT(reduced(with_unused(false), settings), ElementsAre(10'400, 6)) << "what is frozen is no part of it";
  for (const auto& event : generate(with_unused(true), settings).events) {
    EXPECT_TRUE(event.is_async || event.kind != EventKind::collective) << event.tag;
  }
}

// The first limit is of the tensors registered first; buckets go in the reverse order.
TEST(Ddp, that_finds_unused_parameters_keeps_its_first_buckets) {
  auto settings = ddp();
  settings.bucket_cap_bytes = 1;
  const auto model = shipped("opt-125m");
  EXPECT_EQ(reduced(model, settings).back(), model.parameters[0].elements()) << "tied, and ready last";
  settings.find_unused_parameters = true;
  const auto buckets = reduced(model, settings);
  EXPECT_EQ(buckets.size(), model.parameters.size() + 1);
  EXPECT_EQ(buckets[buckets.size() - 2], model.parameters[0].elements()) << "registered first, beyond the first limit";
  EXPECT_EQ(buckets.front(), model.parameters.back().elements());
}

TEST(Ddp, counts_each_bucket_from_nothing) {
  std::string parameters, names;
  for (int i = 0; i < 6; ++i) {
    parameters += fmt::format("{}{{name: a{}, shape: [8]}}", i > 0 ? ", " : "", i);
    names += fmt::format("{}a{}", i > 0 ? ", " : "", i);
  }
  const auto model = model_from_description(
      "m", fmt::format("parameters: [{}]\nforward: {{name: m, parameters: [{}]}}", parameters, names));
  auto settings = ddp();
  settings.framework = *parse_framework("pytorch-ddp-2.4.0");
  settings.bucket_cap_bytes = 65;
  EXPECT_THAT(reduced(model, settings), ElementsAre(24, 24)) << "two tensors have 64 bytes";
}

// A hook casts what the buckets hold; which tensors these are does not change.
TEST(Ddp, buckets_by_the_tensors_own_type) {
  auto settings = ddp();
  const auto plain = reduced(shipped("opt-125m"), settings);
  settings.reduce_type = DataType::bfloat16;
  EXPECT_EQ(reduced(shipped("opt-125m"), settings), plain);
}

// torch/nn/parallel/distributed.py, bucket_bytes_cap_default.
TEST(Ddp, from_2_4_on_takes_a_given_cap_for_the_first_bucket_too) {
  auto settings = ddp();
  const auto first = [&] { return reduced(shipped("opt-125m"), settings).front(); };
  const auto usual = first();
  settings.bucket_cap_bytes = 100U << 20U;
  EXPECT_EQ(first(), usual);
  settings.framework = *parse_framework("pytorch-ddp-2.4.0");
  EXPECT_GT(first(), usual);
  settings.bucket_cap_bytes.reset();
  EXPECT_EQ(first(), usual);
}

TEST(Ddp, refuses_what_it_would_wait_for) {
  try {
    generate(with_unused(true), ddp());
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("u.weight: "));
    EXPECT_THAT(error.what(), HasSubstr("--find-unused-parameters"));
  }
  EXPECT_THAT(reduced(with_unused(false), ddp()), ElementsAre(10'400));
}

}  // namespace
}  // namespace ringmark::replay
