#include "results/schema/status.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Statuses, are_read_as_they_are_written) {
  for (int i = 0; i <= static_cast<int>(Status::timeout); ++i) {
    const auto status = static_cast<Status>(i);
    EXPECT_EQ(parse_status(name(status)), status) << name(status);
  }
  EXPECT_EQ(parse_status(""), std::nullopt);
  EXPECT_EQ(parse_status("OK"), std::nullopt);
}

TEST(Statuses, are_ordered_by_how_bad_they_are) {
  EXPECT_LT(Status::ok, Status::unsupported);
  EXPECT_LT(Status::ignored, Status::wrong);
  EXPECT_LT(Status::wrong, Status::failed);
  EXPECT_FALSE(is_not_as_asked(Status::ignored));
  EXPECT_TRUE(is_not_as_asked(Status::bypassed));
  EXPECT_FALSE(is_failure(Status::wrong));
  EXPECT_TRUE(is_failure(Status::timeout));
}

}  // namespace
}  // namespace ringmark
