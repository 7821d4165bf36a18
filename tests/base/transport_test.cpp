#include "base/transport.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Transports, are_read_as_they_are_written) {
  for (const auto transport : all_transports()) EXPECT_EQ(parse_transport(name(transport)), transport);
  EXPECT_FALSE(parse_transport("rdma"));
  EXPECT_FALSE(parse_transport(""));
}

TEST(Transports, are_all_listed_in_order) {
  for (std::size_t i = 0; i < all_transports().size(); ++i) EXPECT_EQ(all_transports()[i], static_cast<Transport>(i));
}

TEST(Transports, have_our_schedules_where_the_fabric_is_ours) {
  EXPECT_TRUE(has_own_schedules(Transport::tcp));
  EXPECT_TRUE(has_own_schedules(Transport::verbs));
  EXPECT_FALSE(has_own_schedules(Transport::nccl));
  EXPECT_FALSE(has_own_schedules(Transport::mpi));
}

}  // namespace
}  // namespace ringmark
