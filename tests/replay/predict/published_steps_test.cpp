#include "replay/predict/published_steps.hpp"

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

TEST(PublishedSteps, name_their_device_in_many_ways) {
  EXPECT_EQ(device_named("a100_80gb", 80), "a100");
  EXPECT_EQ(device_named("a100", 40), "a100-40");
  EXPECT_EQ(device_named("A100_40GB", 0), "a100-40");
  EXPECT_EQ(device_named("h100_80gb", 80), "h100");
  EXPECT_EQ(device_named("gb200", 0), "gb200");
  EXPECT_EQ(device_named("tpu-v5", 0), "");
}

TEST(PublishedSteps, refuse_a_bad_cell_with_its_line) {
  const testing_support::ResultFolder folder;
  const auto why = [&](const std::string& text) -> std::string {
    std::ofstream(folder.file("t.csv")) << text;
    try {
      read_published_steps(folder.file("t.csv"));
      return "read";
    } catch (const BadUsage& error) {
      return error.what();
    }
  };
  const std::string header =
      "id,gpu,model_type,hidden,layers,heads,ffn,vocabulary,framework,gpus,sequence,micro_batch,intra_GBps,inter_GBps,"
      "published_step_s\n";
  EXPECT_EQ(why(header + "a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1.5\n"), "read");
  EXPECT_THAT(why(header + "a,a100,gpt2,many,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1.5\n"),
              AllOf(HasSubstr("t.csv:2: "), HasSubstr("hidden"), HasSubstr("many")));
  EXPECT_THAT(why("recompute," + header + "some,a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n"),
              AllOf(HasSubstr("recompute"), HasSubstr("some")));
  const std::string rest = ",a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n";
  for (const auto* cell : {"", "0", "1", "1/4", "none", "full", "selective", "selective:core_attn", "block:12"})
    EXPECT_EQ(why("recompute," + header + cell + rest), "read") << cell;
  for (const auto* cell : {"selective:mla_up_proj", "block:13", "1/x"})
    EXPECT_THAT(why("recompute," + header + cell + rest), AllOf(HasSubstr("recompute"), HasSubstr(cell)));
  EXPECT_THAT(why("id,gpu\na,a100\n"), HasSubstr("published_step_s"));
  EXPECT_THAT(why(header), HasSubstr("no steps"));
  const std::string row = "some,a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n";
  EXPECT_THAT(why("grad_accum," + header + row), HasSubstr("accumulation"));
  EXPECT_THAT(why("sofware," + header + row), HasSubstr("software"));
  EXPECT_EQ(why("cluster," + header + row), "read") << "the table's own";
}

TEST(PublishedSteps, compute_every_second_layer_again_under_a_limit_of_power) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("t.csv"))
      << "recompute,power_watts,id,gpu,model_type,hidden,layers,heads,ffn,vocabulary,framework,gpus,sequence,"
         "micro_batch,intra_GBps,inter_GBps,published_step_s\n"
         "1/2,300,a,a100,gpt2,768,12,12,3072,50368,pytorch-fsdp,8,2048,8,300,200,1\n";
  const auto steps = read_published_steps(folder.file("t.csv"));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].power_watts, 300);
  const auto& step = std::get<UniformStep>(steps[0].step);
  EXPECT_EQ(step.settings.recompute, Recompute{}) << "that would be all layers";
  int again = 0;
  const std::function<void(const Module&)> visit = [&](const Module& module) {
    again += module.recompute ? 1 : 0;
    for (const auto& child : module.children) visit(child);
  };
  visit(step.model.forward);
  EXPECT_EQ(again, 6) << "of 12 layers";
}

TEST(PublishedSteps, of_megatron_have_roles) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("t.csv"))
      << "recompute,accumulation,product_dtype,id,gpu,model_type,hidden,layers,heads,ffn,vocabulary,framework,gpus,"
         "sequence,micro_batch,intra_GBps,inter_GBps,published_step_s\n"
         "block:3,4,fp8,a,h100,llama,1024,12,8,4096,32000,megatron,16,2048,2,450,400,1\n";
  const auto step = read_published_steps(folder.file("t.csv")).front();
  const auto& settings = std::get<megatron::Settings>(step.step);
  EXPECT_EQ(settings.data_parallel(), 16);
  EXPECT_EQ(settings.micro_batches(), 4);
  EXPECT_EQ(settings.gradient_type, DataType::float32);
  EXPECT_TRUE(settings.has_float8);
  EXPECT_TRUE(settings.is_recomputed(2));
  EXPECT_FALSE(settings.is_recomputed(3));
  EXPECT_EQ(step.software, Software::Kind::megatron_core);
  EXPECT_TRUE(std::holds_alternative<RoleTrace>(trace_of(step)));
}

}  // namespace
}  // namespace ringmark::replay
