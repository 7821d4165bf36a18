#include "sweeps/answer/answer.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;

/// The answer to a sweep in which each point was launched three times and takes `time_us`.
template <class Time>
Answer answered(const std::string& text, Time time_us, Network network = Network::tcp,
                const std::vector<Caveat>& of_default = {}) {
  const auto file = read_sweep("question: Why?\nranks: 4\n" + text, "s.yaml");
  EXPECT_TRUE(file.problems.empty());
  const Plan plan(file.sweep);
  std::vector<Record> rows;
  std::vector<Done> done;
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (std::size_t point = 0; point < plan.size(); ++point) {
      done.push_back({.launch = done.size() + 1, .point = point, .repetition = repetition});
      Record row;
      row.network = point == 0 ? Network::tcp : network;
      row.run_id = "run";
      row.launch = done.size();
      row.collective = Collective::all_reduce;
      row.datatype = DataType::float32;
      row.ranks = 4;
      row.size_bytes = 1024;
      row.status = Status::ok;
      if (point == 0) row.caveats = of_default;
      row.time_us_p50 = time_us(point) * (1 + 0.001 * repetition);
      rows.push_back(row);
    }
  }
  return answer(file.sweep, plan, rows, done);
}

TEST(Answer, names_the_best_setting_and_what_it_gains) {
  const auto found = answered("program: all-reduce\nvariables: {tcp.sockets: [unset, 2]}\n",
                              [](std::size_t point) { return point == 0 ? 100.0 : 40.0; });
  ASSERT_EQ(found.cases.size(), 1U);
  const auto& best = found.cases[0].best();
  EXPECT_EQ(best.name, "tcp.sockets=2");
  ASSERT_TRUE(best.difference);
  EXPECT_EQ(best.difference->verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(best.difference->ratio, 0.4);
  const auto text = in_words(found);
  for (const char* words : {"Why?", "tcp.sockets=2", "2.5 times faster", "default: tcp.sockets=unset"})
    EXPECT_THAT(text, HasSubstr(words));
}

TEST(Answer, has_a_line_for_each_device_whatever_is_chosen) {
  const auto found =
      answered("program: replay\narguments: {model: opt-125m}\nvariables: {device: [a100, h100], zero: [1, 2]}\n",
               [](std::size_t point) {
                 return std::array{100.0, 90.0, 40.0, 50.0}[point];
               });
  ASSERT_EQ(found.cases.size(), 2U);
  EXPECT_THAT(found.cases[0].name, HasSubstr("4 ranks, device=a100"));
  EXPECT_EQ(found.cases[0].best().name, "zero=2");
  EXPECT_THAT(found.cases[1].name, HasSubstr("4 ranks, device=h100"));
  EXPECT_EQ(found.cases[1].best().name, "zero=1");
  EXPECT_THAT(in_words(found), HasSubstr("the default is the best"));
}

TEST(Answer, names_no_setting_the_best_that_is_merely_ahead) {
  const auto found = answered("program: all-reduce\nvariables: {tcp.sockets: [unset, 2]}\n",
                              [](std::size_t point) { return point == 0 ? 100.0 : 99.99; });
  const auto& best = found.cases.at(0).best();
  EXPECT_EQ(best.name, "tcp.sockets=2");
  EXPECT_EQ(best.difference.value().verdict, Verdict::no_difference);
}

TEST(Answer, refuses_to_compare_settings_that_crossed_different_networks) {
  const auto found = answered(
      "program: all-reduce\nvariables: {UCX_TLS: [unset, tcp]}\n",
      [](std::size_t point) { return point == 0 ? 100.0 : 50.0; }, Network::ib);
  const auto& best = found.cases.at(0).best();
  EXPECT_FALSE(best.difference);
  EXPECT_THAT(best.refusal, HasSubstr("one used ib, the other tcp"));
}

TEST(Answer, shows_the_doubt_under_a_verdict_and_names_nothing_the_best) {
  const auto found = answered("program: all-reduce\nvariables: {transport: [mpi, tcp]}\n",
                              [](std::size_t point) { return point == 0 ? 4400.0 : 100.0; }, Network::tcp,
                              {PollingOnSharedCores{.ranks = 4, .cores = 2}});
  const auto& measured = found.cases.at(0);
  EXPECT_TRUE(measured.is_doubted(measured.best()));
  const auto text = in_words(found);
  EXPECT_THAT(text, HasSubstr("times faster"));
  EXPECT_THAT(text, HasSubstr("in doubt: transport=mpi: 4 ranks share 2 cores"));
}

TEST(Answer, remembers_settings_that_measured_nothing) {
  const auto file =
      read_sweep("question: Why?\nranks: 4\nprogram: all-reduce\nvariables: {transport: [tcp, verbs]}\n", "s.yaml");
  const Plan plan(file.sweep);
  Record row;
  row.run_id = "run";
  row.launch = 1;
  row.status = Status::unsupported;
  row.detail = "no RDMA device";
  const auto found = answer(file.sweep, plan, {row, row}, {{.launch = 1, .point = 1}});
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_EQ(found.left_out[0].setting, "transport=verbs");
  EXPECT_EQ(found.left_out[0].rows, 2U);
  EXPECT_THAT(in_words(found), HasSubstr("transport=verbs: unsupported: no RDMA device"));
}

TEST(Answer, counts_no_times_of_ranks_that_share_a_gpu) {
  const auto file = read_sweep("question: Why?\nranks: 4\nprogram: all-reduce\nvariables: {warmup: [1]}\n", "s.yaml");
  const Plan plan(file.sweep);
  Record row;
  row.run_id = "run";
  row.launch = 1;
  row.status = Status::ok;
  row.ranks = 4;
  row.size_bytes = 8;
  row.time_us_p50 = 1;
  row.time_sliced = 1;
  const auto found = answer(file.sweep, plan, {row}, {{.launch = 1}});
  EXPECT_EQ(found.time_sliced, 1U);
  EXPECT_TRUE(found.cases.empty());
  EXPECT_THAT(in_words(found), HasSubstr("No launch produced a measurement"));
}

}  // namespace
}  // namespace ringmark::sweep
