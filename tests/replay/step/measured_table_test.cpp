#include "replay/step/measured_table.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;

Event computed(Phase phase, const char* tag) {
  Event event;
  event.phase = phase;
  event.tag = tag;
  event.flops = 1;
  return event;
}

struct MeasuredTables : testing::Test {
  MeasuredTable table(const std::string& text) {
    std::ofstream(folder_.file("t.yaml")) << text;
    return MeasuredTable(folder_.file("t.yaml"));
  }
  std::string refusal(const std::string& text) {
    try {
      table(text);
    } catch (const BadUsage& error) {
      return error.what();
    }
    return "";
  }
  const testing_support::ResultFolder folder_;
};

TEST_F(MeasuredTables, give_the_name_or_the_longest_beginning) {
  const auto measured = table("fwd: {embed: 12, 'layers.*': 830, 'layers.0.*': 900}\nbwd: {'*': 1700.5}\n");
  EXPECT_EQ(measured.time_us(computed(Phase::forward, "embed")), 12);
  EXPECT_EQ(measured.time_us(computed(Phase::forward, "layers.1.mlp")), 830);
  EXPECT_EQ(measured.time_us(computed(Phase::forward, "layers.0.mlp")), 900);
  EXPECT_EQ(measured.time_us(computed(Phase::backward, "anything")), 1700.5);
  EXPECT_EQ(measured.time_us(computed(Phase::recompute, "layers.1.mlp")), 830) << "as forward";
  EXPECT_EQ(measured.time_us(computed(Phase::step, "adam")), std::nullopt);
}

TEST_F(MeasuredTables, name_what_is_wrong_with_them) {
  EXPECT_THAT(refusal("fwd: {a: -1}"), HasSubstr("t.yaml:1: fwd: a: microseconds: '-1' "));
  EXPECT_THAT(refusal("forward: {a: 1}"), HasSubstr("'forward' is unknown"));
  EXPECT_THAT(refusal("fwd: 3"), HasSubstr("fwd: '3' "));
  EXPECT_EQ(refusal("fwd: {a: 1}"), "");
}

TEST_F(MeasuredTables, have_no_name_that_nothing_has) {
  StepTrace trace;
  trace.events = {computed(Phase::forward, "a")};
  table("fwd: {a: 1}").require_used(trace);
  EXPECT_THROW(table("fwd: {a: 1, b: 2}").require_used(trace), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
