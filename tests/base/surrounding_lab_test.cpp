#include "base/surrounding_lab.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

class SurroundingLab : public testing::Test {
 protected:
  ~SurroundingLab() override {
    ::unsetenv(lab_fabric_variable);
    ::unsetenv(lab_links_variable);
  }
  static void set(const char* fabric, const char* links) {
    ::setenv(lab_fabric_variable, fabric, 1);
    ::setenv(lab_links_variable, links, 1);
  }
};

TEST_F(SurroundingLab, has_hosts_and_the_rates_of_their_links) {
  ASSERT_FALSE(surrounding_lab());
  set(R"({"hosts":["host-0","host-1"],"leaves":{},"spines":0,"rails":1})",
      R"([{"name":"host-1","hosts":["host-1"],"bits_per_s":2e8},{"name":"leaf1","hosts":["host-0","host-1"],"bits_per_s":1e9}])");
  const auto lab = surrounding_lab();
  ASSERT_TRUE(lab);
  EXPECT_EQ(lab->hosts, (std::vector<std::string>{"host-0", "host-1"}));
  EXPECT_EQ(link_bits_per_s(*lab, "host-1"), 2e8);
  EXPECT_EQ(link_bits_per_s(*lab, "host-0"), std::nullopt) << "a leaf's uplinks are not its own link";
}

TEST_F(SurroundingLab, is_refused_where_no_lab_would_tell_it_so) {
  for (const auto& [fabric, links] :
       {std::pair{"{}", "[]"}, {R"({"hosts":[1]})", "[]"}, {R"({"hosts":["a"]})", "[3]"}}) {
    set(fabric, links);
    EXPECT_THROW(surrounding_lab(), BadUsage) << fabric << links;
  }
}

}  // namespace
}  // namespace ringmark
