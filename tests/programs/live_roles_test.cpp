// ringmark-replay run plays steps with roles: a rank on each host of a lab, whose interfaces count its bytes.
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

const std::string live_replay = bin + "/ringmark-replay";
constexpr auto dense = R"({"model_type": "llama", "hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 8,
  "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": true})";
constexpr auto of_experts = R"({"model_type": "mixtral", "hidden_size": 128, "intermediate_size": 256,
  "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 1000,
  "num_local_experts": 8, "num_experts_per_tok": 2})";

struct Step {
  std::string name, config, flags, parallelism;
  int ranks;
  bool has_messages;
  double most_bytes;  ///< over what the step states: headers, and algorithms that trade bytes for fewer messages
};

class LiveRoles : public testing::TestWithParam<Step> {
 protected:
  void SetUp() override {
    for (const auto& reason : {why_no_mpi("mpich"), why_no_lab()}) {
      if (!reason.empty()) GTEST_SKIP() << reason;
    }
    std::ofstream(results_.file("config.json")) << GetParam().config;
  }

  std::string described() const {
    return " --model " + results_.file("config.json") + " --sequence 128 " + GetParam().flags;
  }
  ShellResult play(const std::string& step) const {
    const auto ranks = std::to_string(GetParam().ranks);
    return run(bin + "/ringmark-lab run --hosts " + ranks + " -- mpirun.mpich -n " + ranks + " " + live_replay +
               " run " + step + " --device h100 --compute asleep -n 2 -w 1 --csv " + results_.file("r.csv") +
               " --timeline " + results_.file("t.json"));
  }

  /// By name, in the rank's calls of one step.
  std::map<std::string, std::uint64_t> count_calls(const std::string& step, int rank) const {
    const auto calls = results_.file("calls.jsonl");
    const auto shown = run(live_replay + " show " + step + " --rank " + std::to_string(rank) + " --calls " + calls);
    EXPECT_EQ(shown.status, 0) << shown.output;
    std::map<std::string, std::uint64_t> counts;
    std::ifstream in(calls);
    for (std::string line; std::getline(in, line);) ++counts[nlohmann::json::parse(line).at("op").get<std::string>()];
    return counts;
  }
  std::map<std::string, std::uint64_t> count_played(int rank) const {
    std::map<std::string, std::uint64_t> counts;
    const auto timeline = nlohmann::json::parse(std::ifstream(results_.file("t.json")));
    for (const auto& event : timeline.at("traceEvents")) {
      if (event.at("pid") == rank && event.contains("args") && event.at("args").contains("elements"))
        ++counts[event.at("name").get<std::string>()];
    }
    return counts;
  }

  ResultFolder results_;
};

TEST_P(LiveRoles, play_the_calls_and_send_the_bytes_of_the_step) {
  const auto step = results_.file("step.jsonl");
  const auto made =
      run(live_replay + " generate" + described() + " --ranks " + std::to_string(GetParam().ranks) + " -o " + step);
  ASSERT_EQ(made.status, 0) << made.output;
  for (const auto& words : {described(), step}) {
    const auto played = play(words);
    ASSERT_EQ(played.status, 0) << played.output;
    EXPECT_EQ(has(played.output, "bubble"), GetParam().has_messages) << played.output;
  }
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.network, Network::tcp);
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_EQ(row.samples, 2U);
    EXPECT_EQ(row.nodes, GetParam().ranks);
    ASSERT_TRUE(row.step);
    EXPECT_EQ(row.step->parallelism, GetParam().parallelism);
    EXPECT_EQ(row.step->framework, "megatron-core");
    EXPECT_EQ(row.step->bubble_us.has_value(), GetParam().has_messages);
    const double stated = row.step->step_wire_bytes.value();
    EXPECT_GT(static_cast<double>(row.wire_bytes.value()), 0.98 * stated);
    EXPECT_LT(static_cast<double>(row.wire_bytes.value()), GetParam().most_bytes * stated);
  }
  for (int rank = 0; rank < GetParam().ranks; ++rank)
    EXPECT_EQ(count_played(rank), count_calls(step, rank)) << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(
    All, LiveRoles,
    testing::Values(Step{"tensors_pipeline_and_data", dense, "--tp 2 --sp --pp 2 --grad-accum 4", "tp2 pp2 dp2", 8,
                         true, 1.1},
                    Step{"interleaved_pipeline", dense, "--pp 4 --vp 2 --grad-accum 8", "pp4 vp2", 4, true, 1.1},
                    Step{"experts", of_experts, "--ep 4 --grad-accum 2", "dp4 ep4", 4, false, 1.5}),
    [](const auto& each) { return each.param.name; });

class LiveRolesHere : public testing::Test {
 protected:
  LiveRolesHere() { std::ofstream(results_.file("config.json")) << dense; }

  std::string described() const {
    return " --model " + results_.file("config.json") + " --sequence 128 --tp 2 --pp 2 --device h100 --compute asleep";
  }

  ResultFolder results_;
};

TEST_F(LiveRolesHere, are_refused_before_anything_starts) {
  const auto step = results_.file("step.jsonl");
  ASSERT_EQ(
      run(live_replay + " generate --model " + results_.file("config.json") + " --pp 4 --ranks 4 -o " + step).status,
      0);
  for (const auto& words :
       {step + " --ranks 2 --device h100", step + " --ranks 4", step + " --ranks 4 --device h100 --forward-ms 3",
        step + " --ranks 4 --tp 2", described() + " --ranks 3", described() + " --ranks 4 --zero 2",
        described() + " --ranks 4 --slow-down 4=2"}) {
    const auto result = run(live_replay + " run " + words);
    EXPECT_EQ(result.status, 2) << words << ": " << result.output;
    EXPECT_FALSE(has(result.output, "#  Rank")) << "something was started: " << result.output;
  }
}

TEST_F(LiveRolesHere, name_a_killed_rank) {
  const auto said = results_.file("said");
  const auto result = run(live_replay + " run --ranks 4" + described() + " -n 1000000 --check 0 --timeout 1000 >" +
                          said + " 2>&1 & " + until("grep -q 'Rank  3' " + said) + "; " + kill_rank_1 +
                          "; wait $!; status=$?; cat " + said + "; exit $status");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
}

TEST_F(LiveRolesHere, have_a_rank_that_computes_longer) {
  const auto result = run(live_replay + " run --ranks 4" + described() + " --slow-down 2=50 -n 2 --csv " +
                          results_.file("r.csv") + " --samples " + results_.file("s"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(results_.records("r.csv").at(0).step.value().slow_down, (std::map<int, double>{{2, 50}}));
  std::ifstream in(results_.file("s"));
  std::string line;
  for (int lines = 0; lines < 2; ++lines) std::getline(in, line);  // the first is of the run
  const auto samples = nlohmann::json::parse(line).at("computation_us");
  EXPECT_GT(samples.at(2).at(0).get<double>(), samples.at(3).at(0).get<double>());
}

}  // namespace
}  // namespace ringmark
