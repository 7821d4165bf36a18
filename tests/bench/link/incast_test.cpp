#include "bench/link/incast.hpp"

#include <gmock/gmock.h>

namespace ringmark {
namespace {

constexpr std::uint64_t message_bytes = 1 << 20;

Record sent(int source, int destination, double GBps, LinkTest test = LinkTest::bandwidth) {
  Record record;
  record.collective = test;
  record.link = {source, destination};
  record.size_bytes = message_bytes;
  record.algbw_GBps = GBps;
  return record;
}

const std::vector<std::string> four_hosts{"a", "b", "c", "d"};

/// Destination 0 receives 3 GB/s from three, destination 1 only 1.2.
std::vector<Record> two_incasts() {
  return {sent(1, 0, 1.0),
          sent(2, 0, 0.9),
          sent(3, 0, 1.1),
          sent(0, 1, 0.4),
          sent(2, 1, 0.5),
          sent(3, 1, 0.3),
          sent(1, 0, 9.0, LinkTest::latency)};
}

std::vector<Incast> found_in_two() {
  return incasts_in({{0, message_bytes, 3.0}, {1, message_bytes, 1.2}, {2, message_bytes, 9.0}}, two_incasts());
}

TEST(Incast, has_the_senders_of_a_destination) {
  const auto found = found_in_two();
  ASSERT_EQ(found.size(), 2U) << "nothing is known of what was sent to rank 2";
  EXPECT_EQ(found[0].received.destination, 0);
  EXPECT_EQ(found[0].rows, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_NEAR(found[1].least_GBps, 0.3, 1e-9);
  EXPECT_NEAR(found[1].most_GBps, 0.5, 1e-9);
}

TEST(Incast, measures_a_sender_of_the_worst_destinations_alone) {
  const auto found = found_in_two();
  EXPECT_EQ(choose_senders(found, 1), std::vector<std::size_t>{3});
  EXPECT_EQ(choose_senders(found, 10), (std::vector<std::size_t>{3, 0}));
  EXPECT_TRUE(choose_senders(found, 0).empty());
}

TEST(Incast, names_the_destination_that_receives_less_from_all_than_from_one) {
  const auto text = in_words(found_in_two(), {{1, message_bytes, 3.0}, {0, message_bytes, 3.0}}, four_hosts);
  EXPECT_THAT(text, testing::HasSubstr("rank 1 on b receives 1.2 GB/s from 3 senders at once, 3 from one alone"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("rank 0 on a receives")));
  EXPECT_THAT(text, testing::HasSubstr("70 % of"));
  EXPECT_EQ(in_words(std::vector<Incast>{}, {}, four_hosts), "");
}

}  // namespace
}  // namespace ringmark
