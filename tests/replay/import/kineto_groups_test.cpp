#include "replay/import/kineto_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Json = nlohmann::json;

TEST(KinetoGroups, are_listed_by_the_call_or_the_head) {
  const KinetoGroups groups(Json::parse(R"({"pg_config": [{"pg_name": "3", "ranks": [1, 5]}, {"pg_name": 4}, 7]})"));
  const auto members = [&](const char* call) { return groups.members(Json::parse(call)); };
  EXPECT_THAT(members(R"({"Process Group Name": "3", "Group size": 2})"), ElementsAre(1, 5));
  EXPECT_THAT(members(R"({"Process Group Name": "3", "Group size": 2, "Process Group Ranks": "[1, 3]"})"),
              ElementsAre(1, 3));
  EXPECT_THAT(members(R"({"Process Group Name": "3", "Group size": 4})"), IsEmpty()) << "another size";
  EXPECT_THAT(members(R"({"Process Group Name": "9", "Group size": 2})"), IsEmpty());
  for (const char* head : {"null", "7", "{}", R"({"pg_config": "none"})"})
    EXPECT_THAT(KinetoGroups(Json::parse(head)).members(Json::object()), IsEmpty()) << head;
}

TEST(KinetoGroups, that_are_shortened_are_evenly_spaced) {
  EXPECT_THAT(shortened_ranks("[1, 3, 5, ..., 9]", 5), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_THAT(shortened_ranks("[0, 1, ..., ..., 4]", 5), ElementsAre(0, 1, 2, 3, 4));
  for (const char* other :
       {"[1, 3, 5, ..., 11]", "[1, 3, 6, ..., 9]", "[9, 7, ..., 1]", "[..., 9]", "[1, ..., 9]", "", "x"})
    EXPECT_THAT(shortened_ranks(other, 5), IsEmpty()) << other;
}

}  // namespace
}  // namespace ringmark::replay
