#include "replay/predict/shared_link.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

TEST(SharedLink, gives_what_others_left) {
  SharedLink link;
  EXPECT_DOUBLE_EQ(link.end_of(10, 5), 15);
  link.take(10, 15);
  link.take(20, 40);
  EXPECT_DOUBLE_EQ(link.end_of(0, 10), 10);
  EXPECT_DOUBLE_EQ(link.end_of(0, 12), 17) << "it pauses from 10 to 15";
  EXPECT_DOUBLE_EQ(link.end_of(12, 6), 41) << "5 of them before 20";
  EXPECT_DOUBLE_EQ(link.end_of(50, 3), 53);
  EXPECT_DOUBLE_EQ(link.end_of(25, 0), 25) << "nothing to send";
}

TEST(SharedLink, is_taken_over_gaps) {
  SharedLink link;
  link.take(10, 15);
  link.take(20, 25);
  link.take(30, 35);
  link.take(12, 22);
  EXPECT_DOUBLE_EQ(link.end_of(0, 11), 26) << "from 10 to 25 is one span";
  EXPECT_DOUBLE_EQ(link.end_of(25, 6), 36);
}

}  // namespace
}  // namespace ringmark::replay
