// The library's own tensors and calls, as tests/replay/files/record_transformers_models.py recorded them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/model/architectures.hpp"
#include "tests/replay/model/modules.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay {
namespace {

using Calls = std::vector<std::string>;
using Windows = std::vector<std::uint64_t>;

/// Its modules without children, in the order in which they run.
Calls calls_of(const Model& model) {
  Calls calls;
  testing_support::for_each_module(model.forward, [&](const Module& module) {
    if (module.children.empty()) calls.push_back(module.name);
  });
  return calls;
}

TEST(TransformersModels, have_the_librarys_tensors_and_run_their_modules_in_its_order) {
  const auto recorded = testing_support::recorded_json("transformers_models");
  ASSERT_EQ(recorded.at("models").size(), 28U);
  for (const auto& each : recorded.at("models")) {
    const auto text = each.at("configuration").dump();
    SCOPED_TRACE(text);
    const auto model = make_model(architecture_from_config("config.json", text));

    std::vector<Parameter> tensors;
    for (const auto& tensor : each.at("tensors"))
      tensors.push_back({tensor.at(0), tensor.at(1).get<std::vector<std::uint64_t>>()});
    EXPECT_EQ(model.parameters, tensors);

    auto calls = each.at("calls").get<Calls>();
    std::erase_if(calls, [](const std::string& name) { return name.ends_with(".rotary_emb"); });  // has no tensors
    EXPECT_EQ(calls_of(model), calls);
    if (const auto windows = each.at("windows").get<Windows>(); !windows.empty()) {
      EXPECT_EQ(testing_support::attention_windows(model), windows);
    }
  }
}

}  // namespace
}  // namespace ringmark::replay
