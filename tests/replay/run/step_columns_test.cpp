#include "replay/run/step_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using ::testing::ElementsAre, ::testing::IsEmpty;

TEST(StepColumns, of_a_recording_have_the_size_of_what_it_carries) {
  StepTrace trace;
  trace.id = "et.json";
  Event event;
  event.kind = EventKind::collective;
  event.elements = 100;
  event.type = DataType::bfloat16;
  trace.events = {event, event, Event{}};
  Record record;
  describe_step(trace, record);
  EXPECT_EQ(record.size_bytes, 400U);
  EXPECT_EQ(record.count, 200U);
  EXPECT_EQ(record.step.value().model, "et.json");
  trace.model = "opt-125m", trace.model_elements = 7, trace.type = DataType::float16;
  Record of_model;
  describe_step(trace, of_model);
  EXPECT_EQ(of_model.size_bytes, 14U);
  EXPECT_EQ(of_model.step.value().model, "opt-125m");
}

TEST(StepColumns, tell_micro_steps_unless_there_are_very_many) {
  StepTrace trace;
  StepTimes times;
  times.total_us = 100;
  times.micro_steps = {{10, 5, 2}, {20.5, 0, 0}};
  Record record;
  record.step.emplace();
  record.time_us_p50 = 100;
  times.phases[static_cast<std::size_t>(Phase::backward)] = {20, 5, 2};
  times.phases[static_cast<std::size_t>(Phase::step)] = {10.5, 0, 0};
  tell_step(trace, 2, times, times.whole(), record);
  EXPECT_THAT(record.step->micro_computation_us, ElementsAre(10, 20.5));
  EXPECT_THAT(record.step->micro_exposed_us, ElementsAre(5, 0));
  EXPECT_THAT(record.step->micro_hidden_us, ElementsAre(2, 0));
  EXPECT_EQ(record.step->communication_us, 7);
  EXPECT_EQ(record.step->hidden_bwd_us, 2);
  EXPECT_EQ(record.step->collectives, 0U);
  times.micro_steps.resize(65);
  Record many;
  many.step.emplace();
  many.time_us_p50 = 100;
  tell_step(trace, 2, times, times.whole(), many);
  EXPECT_THAT(many.step->micro_exposed_us, IsEmpty());
}

TEST(StepColumns, tell_roles) {
  StepTrace trace;
  trace.model_elements = 7;
  trace.parameters = {{"tp", "2"}, {"pp", "2"}, {"dp", "4"}, {"vp", "1"}, {"etp", "2"}, {"experts", "0"}};
  Record record;
  describe_step(trace, record);
  EXPECT_EQ(record.step.value().parallelism, "tp2 pp2 dp4");
  record.time_us_p50 = 100;
  StepTimes times;
  times.phases[static_cast<std::size_t>(Phase::forward)].bubble_us = 20;
  tell_step(trace, 16, times, times.whole(), record);
  EXPECT_EQ(record.step->bubble_us, std::nullopt) << "no messages";
  trace.events.resize(2);
  trace.events[0].kind = EventKind::send;
  trace.events[0].elements = 50;
  trace.events[1].kind = EventKind::receive;
  trace.micro_batch = 1;
  trace.ranks_per_sample = 4;
  tell_step(trace, 16, times, times.whole(), record);
  EXPECT_EQ(record.step->bubble_us, 20);
  EXPECT_EQ(record.step->step_wire_bytes, 100) << "the other end sends what is received";
  EXPECT_DOUBLE_EQ(record.step->samples_per_s.value(), 4 / 100e-6);
}

}  // namespace
}  // namespace ringmark::replay
