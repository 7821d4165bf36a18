// ringmark-sweep tune-run as a user runs it, over a fake launcher whose steps take a time that their traces decide, and
// in a lab.
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "results/schema/columns.hpp"
#include "tests/programs/sweep_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// A stage takes a factor of time, and each micro-step a little; several sockets help where no computation is between.
constexpr auto fake_steps = R"sh(#!/bin/bash
here=$(dirname "$0")
echo launch >>"$here/launches"
for word in "$@"; do
  case $word in
    describe-node) exec "$@" ;;
    --csv=*) csv=${word#--csv=} ;;
    --run-id=*) run_id=${word#--run-id=} ;;
    --repetition=*) repetition=${word#--repetition=} ;;
    --trace=*) trace=${word#--trace=} ;;
    --scale-compute=0) bare=yes ;;
    --set=tcp.sockets=4) sockets=yes ;;
  esac
done
[ -e "$here/unsupported" ] && { echo "no such device"; exit 4; }
[ -e "$here/broken" ] && { echo "no such program"; exit 3; }
[ -e "$here/slow" ] && sleep 0.15
read -r head <"$trace"
[[ $head =~ '"zero_stage":'([0-9]) ]] && stage=${BASH_REMATCH[1]}
[[ $head =~ '"A":'([0-9]+) ]] && micro_steps=${BASH_REMATCH[1]}
case $stage in 0) us=9000 ;; 1) us=8000 ;; 2) us=6000 ;; *) us=7000 ;; esac
us=$((us + 100 * micro_steps + RANDOM % 20))
[ -n "$bare" ] && us=$((us / 2))
[ -n "$sockets" ] && us=$((us * 9 / 10))
{ read -r header; read -r row; } <"$here/row.csv"
row=${row/RUN_ID/$run_id}
row=${row/123456/$us}
printf '%s\n%s\n' "$header" "${row/,987654,/,$repetition,}" >"$csv"
)sh";

class TunedRuns : public Sweeps {
 protected:
  TunedRuns() {
    std::ofstream(results_.file("fake")) << fake_steps;
    Record row{.schema = Schema::replay,
               .run_id = "RUN_ID",
               .transport = Transport::tcp,
               .collective = TrainingStep{},
               .ranks = 4};
    row.repetition = 987654;
    row.time_us_p50 = 123456;
    row.status = Status::ok;
    row.step = StepResult{.model = "small"};
    row.step->exposed_us = 1000;
    row.step->samples_per_s = 50;
    std::ofstream(results_.file("row.csv"))
        << write_csv(record_header(own_header(Schema::replay))) << write_csv(to_csv(row, own_header(Schema::replay)));
    std::ofstream(results_.file("model.json")) << R"({"model_type": "llama", "hidden_size": 64,
      "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4,
      "vocab_size": 500, "max_position_embeddings": 128, "tie_word_embeddings": false})";
    std::ofstream(results_.file("ds.json")) << R"({"train_micro_batch_size_per_gpu": 2,
      "gradient_accumulation_steps": 4, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}})";
  }

  std::string write_run(const std::string& rest, const std::string& name = "run.yaml") const {
    std::ofstream(results_.file(name)) << "model: model.json\nds_config: ds.json\nstep: {sequence: 64}\n"
                                       << "compute: {device: a100}\nranks: 4\nnetwork: {alpha-us: 2000, "
                                          "bandwidth-GBps: 0.01}\n"
                                       << rest;
    return results_.file(name);
  }
  std::string over_fake(const std::string& rest) const {
    return write_run("launcher: {command: [" + results_.file("fake") + ", \"{command}\"]}\ngrace: 100ms\n" + rest);
  }

  nlohmann::json tuned(const std::string& name) const {
    return nlohmann::json::parse(read_if_readable(folder(name) + "/tuned.json"));
  }
  /// That left rows; a launch of ringmark-link leaves two.
  std::size_t launches_of(const std::string& name) const {
    std::set<std::string> launches;
    for (const auto* stage : {"collective", "network", "strategy", "framework", "verification"}) {
      if (!std::filesystem::exists(folder(name) + "/" + stage + "/results.csv")) continue;
      for (const auto& row : results_.records(name + "/" + stage + "/results.csv")) launches.insert(row.run_id);
    }
    return launches.size();
  }
};

/// Small spaces, so that the fake's order of stages decides.
constexpr auto small_change =
    "change: {collective: {tcp.sockets: [unset, 4]}, strategy: {stage: [1, 2], micro-batch: [2, 8]}, "
    "framework: {overlap_comm: [true, false]}}\n";

TEST_F(TunedRuns, find_prove_and_write_the_faster_run_within_their_budget) {
  const auto file = over_fake(std::string("budget: {launches: 50}\n") + small_change);
  const auto ran = run(sweep("tune-run " + file + " -o " + folder("t")));
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = tuned("t");
  EXPECT_LE(launches_of("t"), 50U);
  EXPECT_EQ(json["launches"], launches_of("t"));
  EXPECT_EQ(json["parts"][0]["chosen"]["tcp.sockets"], "4");
  EXPECT_EQ(json["parts"][1]["chosen"]["stage"], "2");
  EXPECT_EQ(json["parts"][1]["chosen"]["micro-batch"], "8");
  EXPECT_LT(json["gain"]["ratio_high"], 1);
  EXPECT_EQ(json["waterfall"].size(), 4U);
  EXPECT_TRUE(json["collective_at_end"].is_object());
  const auto best = nlohmann::json::parse(read_file(folder("t") + "/best/ds_config.json"));
  EXPECT_EQ(best["zero_optimization"]["stage"], 2);
  EXPECT_EQ(best["train_micro_batch_size_per_gpu"], 8);
  EXPECT_EQ(best["gradient_accumulation_steps"], 1);
  EXPECT_TRUE(has(read_file(folder("t") + "/best/best.env"), "tcp.sockets=4"));
}

TEST_F(TunedRuns, what_their_stages_leave_are_sweeps) {
  const auto file = over_fake(std::string("budget: {launches: 40}\n") + small_change);
  ASSERT_EQ(run(sweep("tune-run " + file + " -o " + folder("t"))).status, 0);
  const auto resumed = run(sweep("resume " + folder("t") + "/verification"));
  EXPECT_EQ(resumed.status, 0) << resumed.output;
}

TEST_F(TunedRuns, of_a_trace_tune_the_collective_alone) {
  const auto first = over_fake(std::string("budget: {launches: 40}\n") + small_change);
  ASSERT_EQ(run(sweep("tune-run " + first + " -o " + folder("t"))).status, 0);
  std::ofstream(folder("trace.yaml")) << "trace: t/steps/default.jsonl\ncompute: {device: a100}\nranks: 4\n"
                                      << "launcher: {command: [" << folder("fake") << ", \"{command}\"]}\n"
                                      << "change: {collective: {tcp.sockets: [unset, 4]}}\n";
  const auto ran = run(sweep("tune-run " + folder("trace.yaml") + " -o " + folder("u")));
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = tuned("u");
  EXPECT_EQ(json["parts"][0]["chosen"]["tcp.sockets"], "4");
  EXPECT_TRUE(json["parts"][1]["chosen"].empty());
  EXPECT_LT(json["gain"]["ratio_high"], 1);
  EXPECT_FALSE(std::filesystem::exists(folder("u") + "/best/ds_config.json"));
}

TEST_F(TunedRuns, killed_at_any_moment_go_on_and_repeat_nothing) {
  make_file(folder("slow"));
  const auto file = over_fake(std::string("budget: {launches: 30}\n") + small_change);
  const auto line = sweep("tune-run " + file + " -o " + folder("t"));
  int kills = 0;
  while (kills < 200 && !ended_before(line, std::chrono::milliseconds(700 + 37 * kills))) ++kills;
  EXPECT_GT(kills, 2);
  EXPECT_LE(launches_of("t"), 30U);
  EXPECT_EQ(tuned("t")["launches"], launches_of("t"));
  std::set<std::string> ids;
  for (const auto& record : results_.records("t/verification/results.csv")) ids.insert(record.run_id);
  EXPECT_EQ(ids.size(), results_.records("t/verification/results.csv").size());
  const auto rows = launches_of("t");
  EXPECT_EQ(run(sweep("resume " + folder("t"))).status, 0) << "what is complete stays as it is";
  EXPECT_EQ(launches_of("t"), rows);
}

TEST_F(TunedRuns, time_that_is_used_up_ends_them_with_what_was_found) {
  make_file(folder("slow"));
  for (const int seconds : {1, 6}) {
    const auto to = fmt::format("t{}", seconds);
    const auto file = over_fake(fmt::format("budget: {{time: {}s}}\n{}", seconds, small_change));
    const auto ran = run(sweep("tune-run " + file + " -o " + folder(to)));
    ASSERT_EQ(ran.status, 0) << ran.output;
    const auto json = tuned(to);
    EXPECT_EQ(json["launches"], launches_of(to));
    EXPECT_LE(0.15 * static_cast<double>(launches_of(to)), seconds)
        << "a slow launch takes 0.15 s or more, and none starts without time";
  }
}

TEST_F(TunedRuns, keep_the_default_where_nothing_is_faster) {
  const auto file =
      over_fake("budget: {launches: 20}\nchange: {collective: no, strategy: {stage: [0]}, framework: no}\n");
  const auto ran = run(sweep("tune-run " + file + " -o " + folder("t")));
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = tuned("t");
  EXPECT_TRUE(json["changes"].empty());
  EXPECT_EQ(json["gain"]["ratio"], 1);
  EXPECT_TRUE(has(ran.output, "Keep the default")) << ran.output;
  EXPECT_EQ(nlohmann::json::parse(read_file(folder("t") + "/best/ds_config.json")),
            nlohmann::json::parse(read_file(folder("ds.json"))));
}

TEST_F(TunedRuns, stop_where_nothing_works_instead_of_keeping_the_default) {
  make_file(folder("broken"));
  const auto file = over_fake(std::string("budget: {launches: 40}\n") + small_change);
  const auto ran = run(sweep("tune-run " + file + " -o " + folder("t")));
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_FALSE(std::filesystem::exists(folder("t") + "/tuned.json"));
  EXPECT_EQ(launches_of("t"), 2U);
}

TEST_F(TunedRuns, name_why_no_launch_is_supported) {
  make_file(folder("unsupported"));
  const auto file = over_fake(std::string("budget: {launches: 40}\n") + small_change);
  const auto ran = run(sweep("tune-run " + file + " -o " + folder("t")));
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_TRUE(has(ran.output, "no such device; fix that")) << ran.output;
}

TEST_F(TunedRuns, predicted_launch_nothing) {
  const auto file = over_fake("");
  const auto ran = run(sweep("tune-run " + file + " -o " + folder("p") + " --predict"));
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_FALSE(std::filesystem::exists(folder("launches")));
  const auto json = tuned("p");
  EXPECT_EQ(json["is_predicted"], true);
  EXPECT_EQ(json["launches"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder("p") + "/tuned.html"));
}

TEST_F(TunedRuns, replay_real_steps_in_a_lab_and_measure_its_link) {
  for (const auto& reason : {why_no_mpi("mpich"), why_no_lab()}) {
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  std::ofstream(folder("lab.yaml")) << "model: model.json\nds_config: ds.json\nstep: {sequence: 64}\n"
                                    << "compute: {device: a100}\nlauncher: mpich\nranks: 3\ndeadline: 60s\n"
                                    << "arguments: {iters: 2, warmup: 1, algorithm: ring, compute: asleep}\n"
                                    << "budget: {launches: 24}\n"
                                    << small_change;
  const auto ran = run(bin + "/ringmark-lab run --hosts 3 --rate 200mbit -- " + bin + "/ringmark-sweep tune-run " +
                           folder("lab.yaml") + " -o " + folder("l"),
                       300);
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = tuned("l");
  EXPECT_LE(launches_of("l"), 24U);
  EXPECT_EQ(json["launches"], launches_of("l"));
  ASSERT_EQ(json["waterfall"].size(), 4U);
  for (const auto& point : json["waterfall"]) EXPECT_GT(point["step_ms"], 0);
  EXPECT_GT(json["waterfall"][0]["exposed_ms"], 0);
  for (const auto& record : results_.records("l/network/results.csv")) EXPECT_EQ(record.status, Status::ok);
  EXPECT_EQ(results_.records("l/network/results.csv").size(), 2U);
  EXPECT_NE(run(sweep("resume " + folder("l"))).status, 0) << "outside of the lab";
}

TEST_F(TunedRuns, bad_input_is_refused_before_anything_is_launched) {
  const auto refused = [&](const std::string& rest, const std::string& words) {
    const auto ran = run(sweep("tune-run " + over_fake(rest) + " -o " + folder("t")));
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_TRUE(has(ran.output, words)) << words << "\n" << ran.output;
  };
  refused("budget: {launches: 5}\n", "budget.launches");
  refused("arguments: {transport: warp}\n", "run.yaml:9: arguments.transport warp");
  refused("global_batch: 31\n", "global_batch");
  refused("change: {collective: {tcp.sokets: [2]}}\n", "tcp.sokets");
  refused("change: {framework: {overlap: [none]}}\n", "overlap_comm");
  std::ofstream(folder("ds.json")) << R"({"zero_optimisation": {"stage": 1}})";
  refused("", "zero_optimisation");
  EXPECT_FALSE(std::filesystem::exists(folder("launches")));
}

TEST_F(TunedRuns, a_folder_of_another_run_is_refused) {
  const auto file = over_fake("");
  ASSERT_EQ(run(sweep("tune-run " + file + " -o " + folder("t") + " --predict")).status, 0);
  const auto other = over_fake("seed: 2\n");
  EXPECT_EQ(run(sweep("tune-run " + other + " -o " + folder("t") + " --predict")).status, 2);
  make_file(folder("something"));
  EXPECT_EQ(run(sweep("tune-run " + other + " -o " + results_.path() + " --predict")).status, 2);
}

}  // namespace
}  // namespace ringmark
