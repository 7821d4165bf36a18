#include "sweeps/answer.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;

/// The answer to a sweep of which each point was launched three times; `time_us` of a point.
template <class Time>
std::string answered(const std::string& text, Time time_us, const std::string& schema = "1") {
  const auto file = read_sweep("question: Why?\nranks: 4\n" + text, "s.yaml");
  EXPECT_TRUE(file.problems.empty());
  const Plan plan(file.sweep);
  std::vector<Record> rows;
  std::vector<Done> done;
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (std::size_t point = 0; point < plan.size(); ++point) {
      done.push_back({.launch = done.size() + 1, .point = point, .repetition = repetition});
      Record row;
      row.schema = schema;
      row.run_id = "run." + std::to_string(done.size());
      row.collective = "all_reduce";
      row.datatype = "float32";
      row.ranks = 4;
      row.size_bytes = 1024;
      row.status = Status::ok;
      row.time_us_p50 = time_us(point) * (1 + 0.001 * repetition);
      rows.push_back(row);
    }
  }
  return answer(file.sweep, plan, rows, done);
}

TEST(Answer, names_the_best_setting_and_what_it_gains) {
  const auto text = answered("program: all-reduce\nvariables: {tcp.sockets: [unset, 2]}\n",
                             [](std::size_t point) { return point == 0 ? 100.0 : 50.0; });
  EXPECT_THAT(text, HasSubstr("Why?"));
  EXPECT_THAT(text, HasSubstr("tcp.sockets=2"));
  EXPECT_THAT(text, HasSubstr("2.0 times faster"));
}

TEST(Answer, has_a_line_for_each_device_whatever_is_chosen) {
  const auto text =
      answered("program: replay\narguments: {model: opt-125m}\nvariables: {device: [a100, h100], zero: [1, 2]}\n",
               [](std::size_t point) {
                 return std::array{100.0, 90.0, 40.0, 50.0}[point];
               });
  EXPECT_THAT(text, HasSubstr("4 ranks, device=a100"));
  EXPECT_THAT(text, HasSubstr("4 ranks, device=h100"));
  EXPECT_THAT(text, HasSubstr("zero=2"));
  EXPECT_THAT(text, HasSubstr("the default is the best"));
}

TEST(Answer, counts_no_times_of_ranks_that_share_a_gpu) {
  const auto file = read_sweep("question: Why?\nranks: 4\nprogram: all-reduce\nvariables: {warmup: [1]}\n", "s.yaml");
  const Plan plan(file.sweep);
  Record row;
  row.run_id = "run.1";
  row.status = Status::ok;
  row.time_us_p50 = 1;
  row.time_sliced = 1;
  const auto text = answer(file.sweep, plan, {row}, {{.launch = 1}});
  EXPECT_THAT(text, HasSubstr("1 rows come from ranks that share a GPU"));
  EXPECT_THAT(text, HasSubstr("No launch has measured anything"));
}

}  // namespace
}  // namespace ringmark::sweep
