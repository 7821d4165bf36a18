#include "sweeps/training/predicted_chain.hpp"

#include <gmock/gmock.h>

#include "base/system/files.hpp"
#include "sweeps/training/shortlist.hpp"
#include "tests/sweeps/training/training_fixture.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PredictedChainTest : public TrainingFixture {
 protected:
  TunedRun predicted(const TrainingRun& given) const {
    StepSpace space(given, steps());
    return predicted_chain(given, space);
  }
};

TEST_F(PredictedChainTest, takes_what_is_surely_faster_and_says_what_launches_have_to_decide) {
  const auto given = run();
  const auto tuned = predicted(given);
  EXPECT_TRUE(tuned.is_predicted);
  EXPECT_EQ(tuned.launches, 0U);
  ASSERT_EQ(tuned.parts.size(), 3U);
  ASSERT_EQ(tuned.waterfall.size(), 4U);
  EXPECT_TRUE(tuned.parts[0].chosen.empty()) << "predictions do not know the transport's settings";
  EXPECT_FALSE(tuned.parts[1].chosen.empty());
  EXPECT_TRUE(tuned.parts[1].gain.is_sure());
  EXPECT_TRUE(tuned.whole.is_sure());
  EXPECT_LT(tuned.waterfall.back().step_ms, tuned.waterfall.front().step_ms);
  EXPECT_NE(tuned.best.ds_config, tuned.own.ds_config);
}

TEST_F(PredictedChainTest, keeps_the_default_where_nothing_may_change) {
  const auto given = run("change: {strategy: no, framework: no}\n");
  const auto tuned = predicted(given);
  EXPECT_EQ(tuned.whole.ratio, 1);
  EXPECT_EQ(tuned.best.ds_config, tuned.own.ds_config);
  EXPECT_THAT(changes_of(tuned), IsEmpty());
  EXPECT_THAT(tuned.verdict, HasSubstr("Keep the default"));
}

TEST_F(PredictedChainTest, a_patch_is_marked) {
  const auto given = run("change: {strategy: no, framework: {gradients: [reduce_scatter]}}\n");
  EXPECT_THAT(predicted(given).parts[2].needs_patch, ElementsAre(HasSubstr("gradients=reduce_scatter")));
}

TEST_F(PredictedChainTest, needs_a_network) {
  const auto given = read("model: model.json\nds_config: ds.json\ncompute: {device: a100}\nranks: 4\n");
  StepSpace space(given, steps());
  EXPECT_THAT(problems([&] { predicted_chain(given, space); }),
              ElementsAre(AllOf(HasSubstr("network"), HasSubstr("bandwidth-GBps"))));
}

TEST_F(PredictedChainTest, a_default_that_does_not_fit_gives_way) {
  write("small.yaml", "base: a100\nmemory_GiB: 0.3\n");
  write("ds.json", R"({"train_micro_batch_size_per_gpu": 32, "bf16": {"enabled": true},
    "zero_optimization": {"stage": 1, "reduce_bucket_size": 10000000}})");
  const auto given = read(
      "model: model.json\nds_config: ds.json\nstep: {sequence: 2048}\ncompute: {device: small.yaml}\n"
      "network: {alpha-us: 20, bandwidth-GBps: 0.5}\nranks: 4\n");
  StepSpace space(given, steps());
  ASSERT_FALSE(fits(space.own(), device_bytes_of(space.options())));
  const auto tuned = predicted_chain(given, space);
  EXPECT_FALSE(tuned.best.changes.empty());
  EXPECT_LE(tuned.memory.best_bytes, tuned.memory.usable_bytes);
}

TEST_F(PredictedChainTest, files_have_the_changes_and_the_schema) {
  const auto given = run();
  const auto tuned = predicted(given);
  write_files(tuned, folder_.path());
  const auto json = nlohmann::json::parse(read_file(folder_.file("tuned.json")));
  EXPECT_EQ(json["schema"], "tuned-run/1");
  EXPECT_EQ(json["parts"].size(), 3U);
  EXPECT_EQ(json["waterfall"].size(), 4U);
  EXPECT_FALSE(json["changes"].empty());
  EXPECT_FALSE(json["calls"].empty());
  EXPECT_EQ(nlohmann::json::parse(read_file(folder_.file("best/ds_config.json"))),
            nlohmann::json(*tuned.best.ds_config));
  EXPECT_THAT(read_file(folder_.file("best/changes.txt")), HasSubstr("ds_config.json: "));
  EXPECT_THAT(read_file(folder_.file("tuned.html")), AllOf(HasSubstr("tuned-run/1"), Not(HasSubstr("{{"))));
}

TEST(Differences, name_what_changed_what_is_new_and_what_is_gone) {
  using Json = nlohmann::ordered_json;
  EXPECT_THAT(differences(Json::parse(R"({"a": {"b": 1, "c": 2}, "d": "x"})"),
                          Json::parse(R"({"a": {"b": 1, "c": 3}, "e": true})")),
              ElementsAre("a.c: 2 -> 3", "e: not set -> true", "d: \"x\" -> not set"));
}

TEST(IssuedCalls, are_counted_by_kind_and_size_the_most_bytes_first) {
  replay::StepTrace trace;
  const auto add = [&](Collective collective, std::uint64_t elements) {
    auto& event = trace.events.emplace_back();
    event.kind = replay::EventKind::collective;
    event.collective = collective;
    event.elements = elements;
  };
  add(Collective::all_gather, 100);
  add(Collective::all_reduce, 150);
  add(Collective::all_gather, 100);
  const auto calls = issued_calls(trace);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].collective, "all_gather");
  EXPECT_EQ(calls[0].count, 2U);
  EXPECT_EQ(calls[0].bytes, 200U);
}

}  // namespace
}  // namespace ringmark::sweep
