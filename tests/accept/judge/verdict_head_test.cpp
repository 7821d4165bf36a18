#include "accept/judge/verdict_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string told(const Criteria& criteria, const std::string& name) {
  for (const auto& [key, value] : head_of(criteria, {"lab.yaml", "2026-11-27T09:51:50Z", ""}).settings) {
    if (key == name) return value;
  }
  return "no such setting";
}

TEST(VerdictHead, counts_the_parts_of_the_fabric_that_are_known) {
  Criteria criteria;
  EXPECT_THAT(told(criteria, "Topology"), IsEmpty());
  criteria.fabric.leaves = {{"leaf1", {0, 1}}, {"leaf2", {2, 3}}, {"leaf3", {4}}};
  EXPECT_THAT(told(criteria, "Topology"), Not(HasSubstr("spine")));
  criteria.fabric.spines = 2;
  criteria.fabric.rails = 4;
  for (const auto* part : {"3 leaves", "2 spines", "4 NICs"}) EXPECT_THAT(told(criteria, "Topology"), HasSubstr(part));
}

TEST(VerdictHead, has_the_figures_that_decide) {
  Criteria criteria;
  criteria.link_GBps = 12.5;
  criteria.busbw_GBps = 340;
  criteria.step_ms = 1500;
  criteria.rates.loss = 0.125;
  for (const auto* figure : {"12.5 GB/s", "340 GB/s", "1500 ms"})
    EXPECT_THAT(told(criteria, "Expected"), HasSubstr(figure));
  EXPECT_THAT(told(criteria, "Fails on"), HasSubstr("12.5 %"));
}

}  // namespace
}  // namespace ringmark::accept
