#include "sweeps/run/machines.hpp"

#include <gmock/gmock.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const Machines& begun, const Machines& here) {
  try {
    refuse_other_machines("r", begun, here);
    return "";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

Lab lab_at(double bits_per_s) {
  return {{"host-0", "host-1"}, {{"host-0", {"host-0"}, bits_per_s}, {"host-1", {"host-1"}, bits_per_s}}};
}

TEST(Machines, is_the_same_with_the_same_hosts_in_the_same_lab) {
  EXPECT_EQ(refusal({{"a", "b"}}, {{"b", "a"}}), "");
  EXPECT_EQ(refusal({{"host-0"}, lab_at(1e9)}, {{"host-0"}, lab_at(1e9)}), "");
  EXPECT_EQ(refusal({}, {{"a"}}), "") << "older journals tell no hosts";
}

TEST(Machines, that_differs_is_refused_with_both_and_the_remedy) {
  EXPECT_THAT(refusal({{"node1", "node2"}}, {{"node1", "node7"}}),
              AllOf(HasSubstr("node[1-2]"), HasSubstr("node[1,7]"), HasSubstr("--other-hosts")));
  EXPECT_THAT(refusal({{"host-0"}, lab_at(1e9)}, {{"host-0"}}), HasSubstr("1000 Mbit/s"));
  EXPECT_THAT(refusal({{"host-0"}, lab_at(1e9)}, {{"host-0"}, lab_at(5e8)}),
              AllOf(HasSubstr("1000 Mbit/s"), HasSubstr("500 Mbit/s")));
}

}  // namespace
}  // namespace ringmark::sweep
