#include "replay/model/model_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string load_refusal(const std::string& text) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("config.json");
  std::ofstream(file) << text;
  try {
    load_model(file);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(ModelFiles, of_other_programs_are_named) {
  EXPECT_THAT(load_refusal(R"({"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.21"})"),
              HasSubstr("diffusers"));
  EXPECT_THAT(load_refusal(R"({"eos_token_id": 2, "max_length": 4096, "transformers_version": "4.40"})"),
              AllOf(HasSubstr("generation_config.json"), HasSubstr("config.json next to it")));
  EXPECT_THAT(load_refusal(R"({"eos_token_id": 2, "hidden_size": 64, "transformers_version": "4.40"})"),
              HasSubstr("has no model_type"));
  EXPECT_THAT(load_refusal(R"({"train_batch_size": 8})"), HasSubstr("--ds-config"));
}

}  // namespace
}  // namespace ringmark::replay
