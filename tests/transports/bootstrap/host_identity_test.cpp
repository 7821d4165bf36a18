#include "transports/bootstrap/host_identity.hpp"

#include <gmock/gmock.h>

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostIdentity, hosts_with_names_of_their_own_keep_them) {
  const HostIdentity a{"a", "boot", "net:[1]"}, b{"b", "boot", "net:[2]"};
  EXPECT_THAT(distinct_names({a, b, a}), ElementsAre("a", "b", "a"));
  EXPECT_THAT(shared_names({"a", "b", "a"}), IsEmpty());
}

TEST(HostIdentity, different_hosts_of_one_name_are_numbered) {
  const HostIdentity container{"localhost", "boot", "net:[1]"}, other_container{"localhost", "boot", "net:[2]"},
      other_machine{"localhost", "other boot", "net:[1]"}, named{"a", "boot", "net:[3]"};
  const auto names = distinct_names({other_container, container, named, other_machine, other_container});
  EXPECT_THAT(names, ElementsAre("localhost#1", "localhost#2", "a", "localhost#3", "localhost#1"));
  EXPECT_THAT(shared_names(names), ElementsAre("localhost"));
}

TEST(HostIdentity, a_host_that_tells_nothing_is_known_by_its_name) {
  EXPECT_THAT(distinct_names({{"a", "", ""}, {"a", "", ""}}), ElementsAre("a", "a"));
}

TEST(HostIdentity, processes_of_one_host_have_one_identity) {
  EXPECT_EQ(this_host(), this_host());
  EXPECT_FALSE(this_host().network.empty());
}

}  // namespace
}  // namespace ringmark
