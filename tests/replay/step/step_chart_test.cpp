#include "replay/step/step_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

Event computation(Phase phase, int micro_step) {
  Event event;
  event.phase = phase;
  event.micro_step = micro_step;
  return event;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(StepCharts, have_a_box_for_the_computation_of_a_phase_and_micro_batch) {
  StepTrace trace;
  trace.micro_steps = 2;
  trace.events = {computation(Phase::forward, 0), computation(Phase::forward, 0), computation(Phase::forward, 1),
                  computation(Phase::backward, 0)};
  StepChart chart;
  chart.add(3, trace, {{0, 1000, 2000, 3500}, {1000, 2000, 3000, 6000}, 6000});
  const auto svg = chart.svg();
  EXPECT_EQ(count(svg, "<title>fwd"), 2U) << "the first two are one box";
  EXPECT_THAT(svg, HasSubstr("<title>fwd, micro-batch 0: 2.000 ms</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>bwd, micro-batch 0: 2.500 ms</title>"));
  EXPECT_THAT(svg, HasSubstr(">rank 3</text>"));
}

TEST(StepCharts, break_a_box_where_the_rank_waits_for_a_message) {
  Event call;
  call.kind = EventKind::collective;
  Event receive;
  receive.kind = EventKind::receive;
  for (const auto& between : {call, receive}) {
    StepTrace trace;
    trace.events = {computation(Phase::forward, 0), between, computation(Phase::forward, 0)};
    StepChart chart;
    chart.add(0, trace, {{0, 1000, 1500}, {1000, 1500, 2500}, 2500});
    EXPECT_EQ(count(chart.svg(), "<title>fwd"), is_message(between) ? 2U : 1U);
  }
}

TEST(StepCharts, show_communication_by_operation_and_channel) {
  StepTrace trace;
  trace.channels = {{"a<b", 0}};
  Event call;
  call.kind = EventKind::collective;
  call.collective = Collective::all_gather;
  trace.events = {call};
  StepChart chart;
  chart.add(0, trace, {{0}, {2500}, 2500});
  EXPECT_THAT(chart.svg(), HasSubstr("<title>all_gather, a&lt;b: 2.500 ms</title>"));
}

TEST(StepCharts, of_many_ranks_show_some_and_say_so) {
  StepTrace trace;
  trace.events = {computation(Phase::forward, 0)};
  StepChart chart;
  for (int rank = 0; rank < 256; ++rank) chart.add(rank, trace, {{0}, {1000}, 1000});
  const auto svg = chart.svg();
  EXPECT_THAT(svg, HasSubstr("64 of 256 ranks"));
  EXPECT_THAT(svg, HasSubstr(">rank 252</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">rank 253</text>")));
}

TEST(StepCharts, without_events_have_an_axis) {
  StepChart chart;
  chart.add(0, StepTrace{}, {});
  EXPECT_THAT(chart.svg(), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace ringmark::replay
