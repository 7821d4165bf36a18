// ringmark-replay as a user runs it: from a model to a trace, a prediction and a replay; under mpirun, in the lab.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/host.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

const std::string replay = bin + "/ringmark-replay";
const std::string model = " --model " RINGMARK_SOURCE_DIR "/tests/replay/files/llama4.model.json";
const std::string quick = model + " --forward-ms 1 --backward-ms 2 --reduce-bucket 400000 --grad-accum 2";

class Replay : public testing::Test {
 protected:
  ResultFolder results_;
};

TEST_F(Replay, goes_from_a_ds_config_to_a_trace_that_it_shows_predicts_and_runs) {
  std::ofstream(results_.file("ds.json")) << R"({"bf16": {"enabled": true}, "gradient_accumulation_steps": 2,
    "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2, "reduce_bucket_size": 400000}})";
  const auto trace = results_.file("step.jsonl");
  const auto made = run(replay + " generate" + model + " --ds-config " + results_.file("ds.json") +
                        " --framework deepspeed-0.16.4 --ranks 3 --grad-accum 2 --dtype bf16 -o " + trace);
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_TRUE(has(made.output, "all_reduce") && has(made.output, "bfloat16")) << made.output;
  EXPECT_TRUE(has(run(replay + " show --events " + trace).output, "fill bucket"));
  const auto predicted = run(replay + " predict " + trace +
                             " --forward-ms 1 --backward-ms 2 --alpha-us 30 --bandwidth-GBps 1 --timeline " +
                             results_.file("predicted.json"));
  EXPECT_EQ(predicted.status, 0) << predicted.output;
  EXPECT_TRUE(has(predicted.output, "communication exposed") && has(predicted.output, "Assumptions:"))
      << predicted.output;
  const auto played = run(replay + " run " + trace + " --ranks 3 -n 3 --forward-ms 1 --backward-ms 2 --csv " +
                          results_.file("r.csv") + " --timeline " + results_.file("t.json"));
  ASSERT_EQ(played.status, 0) << played.output;
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].schema, Schema::replay);
  EXPECT_EQ(rows[0].status, Status::ok) << rows[0].detail;
  EXPECT_EQ(rows[0].collective, TrainingStep{});
  EXPECT_EQ(rows[0].nodes, 1);
  EXPECT_EQ(rows[0].settings.hosts, host_name() + "*3");
  EXPECT_EQ(rows[0].samples, 3U);
  EXPECT_EQ(rows[0].wrong_elements, 0U);
  ASSERT_TRUE(rows[0].step);
  EXPECT_EQ(rows[0].step->micro_steps, 2);
  const double total = rows[0].time_us_p50.value(), computed = rows[0].step->computation_us.value();
  EXPECT_GE(computed, 2 * 3000);
  EXPECT_GT(total, computed);
  std::ifstream in(results_.file("t.json"));
  EXPECT_FALSE(nlohmann::json::parse(in).at("traceEvents").empty());
}

TEST_F(Replay, answers_questions_backwards) {
  const auto json = results_.file("p.json");
  const auto asked = run(replay + " predict" + quick + " --ranks 16 --zero 2 --alpha-us 1 --bandwidth-GBps 1 " +
                         "--measured-s 0.06 --solve bandwidth --of-ideal 50 --json " + json);
  ASSERT_EQ(asked.status, 0) << asked.output;
  EXPECT_TRUE(has(asked.output, "likeliest: ") && has(asked.output, "solved: ")) << asked.output;
  const auto row = nlohmann::json::parse(std::ifstream(json)).at(0);
  EXPECT_EQ(row.at("measured_s"), 0.06);
  EXPECT_NEAR(row.at("explanations").at("outside_s"), 0.06 - row.at("time_ms").get<double>() / 1e3, 1e-9);
  EXPECT_TRUE(row.at("explanations").contains(row.at("likeliest").get<std::string>()));
  const double GBps = row.at("solved").at("value");
  const auto solved = run(replay + " predict" + quick + " --ranks 16 --zero 2 --alpha-us 1 --bandwidth-GBps " +
                          std::to_string(GBps) + " --json " + json);
  ASSERT_EQ(solved.status, 0) << solved.output;
  const double reached_ms = nlohmann::json::parse(std::ifstream(json)).at(0).at("time_ms");
  EXPECT_NEAR(row.at("solved").at("ideal_ms").get<double>() / reached_ms, 0.5, 1e-3);
}

TEST_F(Replay, asks_steps_with_roles_what_it_asks_others) {
  const std::string links = " --device h100 --alpha-us 10 --within-alpha-us 5 --within-bandwidth-GBps 450 ";
  const std::string step =
      replay + " predict --model llama-8b --tp 2 --pp 2 --global-batch 32 --recompute full" + links;
  const std::string json = results_.file("p.json"), timeline = results_.file("t.json");
  const auto row_of = [&](const std::string& more) {
    const auto result = run(step + more + " --json " + json);
    EXPECT_EQ(result.status, 0) << result.output;
    return nlohmann::json::parse(std::ifstream(json)).at(0);
  };
  const auto plain = row_of("--ranks 16 --bandwidth-GBps 400 --timeline " + timeline);
  EXPECT_TRUE(plain.at("slowest_rank").is_null());
  EXPECT_EQ(plain.at("roles").size(), 2U);
  std::set<int> shown;
  const auto chart = nlohmann::json::parse(std::ifstream(timeline));
  for (const auto& event : chart.at("traceEvents")) shown.insert(event.at("pid").get<int>());
  EXPECT_EQ(shown, (std::set<int>{0, 8})) << "a rank of each stage";
  const auto slow = row_of("--ranks 16 --bandwidth-GBps 400 --slow-down 5=2");
  EXPECT_EQ(slow.at("slowest_rank"), 5);
  EXPECT_GT(slow.at("time_ms"), plain.at("time_ms"));
  EXPECT_GT(row_of("--ranks 16 --bandwidth-GBps 400 --jitter 20").at("time_ms"), plain.at("time_ms"));
  const auto explained = row_of("--ranks 16 --bandwidth-GBps 400 --measured-s 9");
  EXPECT_TRUE(explained.at("explanations").contains("bandwidth_GBps"));
  EXPECT_GT(row_of("--ranks 16 --solve bandwidth --of-ideal 60").at("solved").at("value"), 0);
  EXPECT_GT(row_of("--bandwidth-GBps 5 --solve ranks --of-ideal 60").at("solved").at("reached_percent"), 0);
}

TEST_F(Replay, says_what_must_be_known_before_the_predicted_time) {
  const auto is_before = [](const std::string& output, const std::string& first, const std::string& second) {
    return has(output, first) && output.find(first) < output.find(second);
  };
  const std::string of_70b =
      replay + " predict --model llama2-70b --ranks 64 --device h100 --alpha-us 6 --bandwidth-GBps 370 ";
  const std::string within = "--within-alpha-us 5 --within-bandwidth-GBps 360 ";
  const auto large = run(of_70b + within + "--framework pytorch-ddp");
  EXPECT_EQ(large.status, 0) << large.output;
  EXPECT_TRUE(is_before(large.output, "OUT OF MEMORY on h100", "predicted ")) << large.output;
  EXPECT_TRUE(is_before(large.output, "it fits with --framework pytorch-fsdp", "predicted ")) << large.output;
  const auto flat = run(of_70b + "--zero 3 --ranks-per-node 8");
  EXPECT_EQ(flat.status, 0) << flat.output;
  EXPECT_TRUE(is_before(flat.output, "WARNING: --ranks-per-node alone leaves the network flat", "predicted "))
      << flat.output;
  const auto first = run(of_70b + within + "--zero 1");
  EXPECT_TRUE(has(first.output, "deepspeed-0.16.4 without overlap_comm, DeepSpeed's default")) << first.output;
  EXPECT_FALSE(has(first.output, "WARNING")) << first.output;
}

TEST_F(Replay, refuses_bad_input_with_status_2_before_anything_starts) {
  std::ofstream(results_.file("cut.jsonl")) << R"({"schema":"steptrace/1","ranks":2})"
                                               "\n{\"i\":0,\"k\":\"co";
  run(replay + " generate" + model + " --zero 1 --ranks 4 -o " + results_.file("four.jsonl"));
  const std::vector<std::string> wrong{
      " run",
      " run no-such-file",
      " run " + results_.file("cut.jsonl") + " --ranks 2",
      " run " + results_.file("four.jsonl") + " --ranks 2 --device h100",
      " run --ranks 2 --model gpt-9",
      " run --ranks 2" + model,
      " run --ranks 2" + quick + " --zero 4",
      " run --ranks 2" + quick + " --slow-down 7=2",
      " run --ranks 2" + quick + " --slow-down 1",
      " predict" + quick + " --ranks 2 --alpha-us 1 --bandwidth-GBps 1 --fit-network ib",
      " run --ranks 2" + quick + " --csv /no/such/folder/x.csv",
      " run --ranks 2" + quick + " --overlap some",
      " run --ranks 2" + quick + " --zero 2 --framework pytorch-ddp",
      " generate" + model + " -o x",
      " generate --ranks 2 -o " + results_.file("x"),
      " predict" + quick + " --ranks 2",
      " predict" + quick + " --ranks 2 --alpha-us 1 --bandwidth-GBps 1 --solve bandwidth",
      " predict" + quick + " --ranks 2 --alpha-us 1 --bandwidth-GBps 1 --of-ideal 90",
      " predict " + results_.file("four.jsonl") +
          " --device h100 --alpha-us 1 --bandwidth-GBps 1 --solve ranks"
          " --of-ideal 90",
      " predict" + quick + " --ranks 2 --fit /no/such/fit.json",
      " show " + results_.file("cut.jsonl"),
      " import " + results_.file("cut.jsonl") + " -o x",
      " dance"};
  for (const auto& words : wrong) {
    const auto result = run(replay + words);
    EXPECT_EQ(result.status, 2) << words << ": " << result.output;
    EXPECT_FALSE(has(result.output, "#  Rank")) << "something was started: " << result.output;
    EXPECT_GT(result.output.size(), 10U) << words;
  }
  EXPECT_EQ(run(replay).status, 2);
  EXPECT_EQ(run(replay + " --help").status, 0);
  EXPECT_EQ(run(replay + " run --help").status, 0);
}

TEST_F(Replay, a_killed_rank_is_named_by_the_others) {
  // Steps begin right after the ranks are listed. The time-out is beyond run()'s: only the loss can end it.
  const auto said = results_.file("said");
  const auto result = run(replay + " run --ranks 3" + quick + " --zero 3 -n 1000000 --check 0 --timeout 1000 >" + said +
                          " 2>&1 & " + until("grep -q 'Rank  2' " + said) + "; " + kill_rank_1 +
                          "; wait $!; status=$?; cat " + said + "; exit $status");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
}

TEST_F(Replay, names_the_rank_that_computes_longer) {
  const auto steps =
      replay + " run --ranks 3" + quick + " --zero 2 --compute asleep -n 40 --samples " + results_.file("s");
  const auto result = run(steps + " --slow-down 2=4 --csv " + results_.file("r.csv"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(results_.records("r.csv").at(0).step.value().waited_for, 2) << result.output;
  ASSERT_EQ(run(steps + " --slow-down 2=4").status, 0) << "a second run adds to the file";
  const auto named =
      run(bin + "/ringmark-analyze stragglers " + results_.file("r.csv") + " --samples " + results_.file("s"));
  EXPECT_EQ(named.status, 0) << named.output;
  EXPECT_TRUE(has(named.output, "2 replayed training steps")) << named.output;
  EXPECT_TRUE(has(named.output, "rank 2 on ")) << named.output;
  EXPECT_TRUE(has(named.output, "computes longest in ")) << named.output;
}

class ReplayUnderMpi : public Replay, public testing::WithParamInterface<std::string> {};

TEST_P(ReplayUnderMpi, plays_every_stage_on_the_hosts_of_a_lab) {
  for (const auto& reason : {why_no_mpi(GetParam()), why_no_lab()}) {
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  for (const std::string zero : {"0", "1", "2", "3"}) {
    const auto result = run(bin + "/ringmark-lab run --hosts 3 --rate 1gbit -- mpirun." + GetParam() + " -n 3 " +
                            replay + " run" + quick + " --zero " + zero + " -n 3 --csv " + results_.file("lab.csv"));
    EXPECT_EQ(result.status, 0) << result.output;
  }
  const auto rows = results_.records("lab.csv");
  EXPECT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.network, Network::tcp) << row.detail;
    EXPECT_EQ(row.nodes, 3);
  }
}
TEST_P(ReplayUnderMpi, has_one_clock_though_the_hosts_clocks_differ_by_seconds) {
  for (const auto& reason : {why_no_mpi(GetParam()), why_no_lab()}) {
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  // Some kernels let a new time namespace begin with the next process: hence --fork.
  const std::string shift = "unshare --time --fork --monotonic ";
  for (const std::string seconds : {"4", "-6"}) {
    const auto probe = run(shift + seconds + " true");
    if (probe.status != 0) GTEST_SKIP() << "no clock shifted by " << seconds << " s: " << probe.output;
  }
  const auto steps = bin + "/ringmark-lab run --hosts 3 -- mpirun." + GetParam() +
                     " -n 3 bash -c 'shifts=(4 0 -6); exec " + shift +
                     "${shifts[$(hostname | tr -dc 0-2)]} \"$@\"' shifted " + replay + " run" + quick +
                     " --zero 2 --compute asleep -n 20 --slow-down 2=4 --csv " + results_.file("r.csv") +
                     " --samples " + results_.file("s") + " --timeline " + results_.file("t.json");
  for (int launch = 0; launch < 2; ++launch) {  // one alone names nobody
    const auto result = run(steps);
    ASSERT_EQ(result.status, 0) << result.output;
  }
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.step.value().waited_for, 2);
    EXPECT_LT(*row.entry_skew_us_p50, 500'000);
  }
  std::ifstream in(results_.file("t.json"));
  const auto timeline = nlohmann::json::parse(in);
  std::map<int, double> first_us, last_us;
  for (const auto& event : timeline.at("traceEvents")) {
    if (!event.contains("ts")) continue;
    const int rank = event.at("pid");
    const double begin_us = event.at("ts");
    first_us.try_emplace(rank, begin_us);
    first_us[rank] = std::min(first_us[rank], begin_us);
    last_us[rank] = std::max(last_us[rank], begin_us);
  }
  ASSERT_EQ(first_us.size(), 3U);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_GE(first_us[rank], 0) << "rank " << rank;
    EXPECT_LT(first_us[rank], 1e6) << "rank " << rank;
    EXPECT_LT(last_us[rank], 3e6) << "rank " << rank;
  }
  const auto named =
      run(bin + "/ringmark-analyze stragglers " + results_.file("r.csv") + " --samples " + results_.file("s"));
  EXPECT_EQ(named.status, 0) << named.output;
  EXPECT_TRUE(has(named.output, "rank 2 on ")) << named.output;
  EXPECT_FALSE(has(named.output, "rank 0 on ") || has(named.output, "rank 1 on ")) << named.output;
}

TEST_P(ReplayUnderMpi, a_host_that_is_cut_off_is_named_by_the_others) {
  if (GetParam() == "openmpi")
    GTEST_SKIP() << "Open MPI's daemons end the other ranks before they can say what they saw";
  for (const auto& reason : {why_no_mpi(GetParam()), why_no_lab()}) {
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  // The replay's own time-out of 60 s is beyond the lab's end.
  const auto result = run(
      bin + "/ringmark-lab run --hosts 3 --rate 50mbit --cut 2@6s --timeout 20 -- mpirun.mpich -n 3 " + replay +
      " run" + model + " --forward-ms 1 --backward-ms 2 --zero 2 --overlap ideal --reduce-bucket 100000 -n 1000000");
  for (const std::string other : {"0", "1"})
    EXPECT_TRUE(has(result.output, "rank " + other + " on host-" + other + ": lost rank 2 on host-2: "))
        << result.output;
}

INSTANTIATE_TEST_SUITE_P(Mpis, ReplayUnderMpi, testing::Values("mpich", "openmpi"),
                         [](const auto& each) { return each.param; });

/// A node of PyTorch's execution trace that is part of another collective.
bool is_of_another_collective(const nlohmann::json& node) {
  const auto name = node.at("name").get<std::string>();
  return name == "record_param_comms" || (name.starts_with("c10d::") && name.find("alltoall") == std::string::npos);
}

// PyTorch recorded three all_to_all of two ranks: of 8 equal elements, of which 4 cross; with counts, of which 5 cross
// one way and 2 the other; and the same in rows of ten.
TEST_F(Replay, sends_the_bytes_of_an_execution_trace_with_unequal_all_to_all) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason << " (a loopback of its own)";
  std::string files;
  const auto recorded = recorded_json("pytorch-2.6.0");
  for (auto trace : recorded.at("calls").at("et")) {
    auto& nodes = trace.at("nodes");
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_of_another_collective), nodes.end());
    files += " " + results_.file("et" + std::to_string(files.size()) + ".json");
    std::ofstream(files.substr(files.rfind(' ') + 1)) << trace;
  }
  const auto step = results_.file("step.jsonl");
  const auto imported = run(replay + " import" + files + " -o " + step);
  ASSERT_EQ(imported.status, 0) << imported.output;
  constexpr double scale = 100'000, crossing_elements = 2 * 4 + 7 + 70, bytes = 4 * scale * crossing_elements;
  const auto played = run(bin + "/ringmark-lab run --hosts 1 -- " + replay + " run " + step +
                          " --ranks 2 -n 3 --scale-sizes 100000 --csv " + results_.file("r.csv"));
  ASSERT_EQ(played.status, 0) << played.output;
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, Status::ok) << rows[0].detail;
  EXPECT_EQ(rows[0].wrong_elements, 0U);
  // Both ranks share the counters of one interface.
  EXPECT_GE(static_cast<double>(rows[0].wire_bytes.value()), bytes);
  EXPECT_LE(static_cast<double>(rows[0].wire_bytes.value()), 1.05 * bytes);
}

TEST_F(Replay, is_swept) {
  std::ofstream(results_.file("sweep.yaml"))
      << "question: Which stage?\nprogram: replay\nlauncher: local\nranks: 2\narguments: {iters: 2, forward-ms: 1, "
         "backward-ms: 2, model: " RINGMARK_SOURCE_DIR
         "/tests/replay/files/llama4.model.json}\n"
         "variables:\n  zero: [1, 3]\n  overlap: [none, ideal]\n";
  const auto swept = run(bin + "/ringmark-sweep run " + results_.file("sweep.yaml") + " -o " + results_.file("swept"));
  EXPECT_EQ(swept.status, 0) << swept.output;
  const auto rows = results_.records("swept/results.csv");
  ASSERT_EQ(rows.size(), 4U) << swept.output;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_TRUE(row.step && row.step->exposed_us && row.extra.contains("zero"));
  }
}

}  // namespace
}  // namespace ringmark
