#include "transports/exchange.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/rank_group.hpp"
#include "tests/contract/thread_bootstrap.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using testing::HasSubstr;

struct Card {
  std::string host;
  std::vector<int> cores;
  bool operator==(const Card&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Card, host, cores)

struct Counts {
  double needed = 0;
  std::optional<std::uint64_t> sent;
  bool operator==(const Counts&) const = default;
};

std::string error_of(const std::string& bytes) {
  try {
    decode<Card>("cores", bytes, "rank 3");
  } catch (const TransportError& error) {
    return error.what();
  }
  return "";
}

TEST(Exchange, brings_every_value_in_the_order_of_the_ranks) {
  constexpr int ranks = 3;
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(ranks);
  in_threads(ranks, [&](int rank) {
    ThreadBootstrap bootstrap(meeting, rank);
    const auto cards = exchange(bootstrap, "cores", Card{"a\nb \xff" + std::to_string(rank), {rank, -1}});
    ASSERT_EQ(cards.size(), 3U);
    for (int from = 0; from < ranks; ++from)
      EXPECT_EQ(cards[static_cast<std::size_t>(from)], (Card{"a\nb \xff" + std::to_string(from), {from, -1}}));
    const auto counts = exchange(bootstrap, "counts", rank == 0 ? Counts{} : Counts{0.1, UINT64_MAX});
    EXPECT_EQ(counts[0], Counts{});
    EXPECT_EQ(counts[2], (Counts{0.1, UINT64_MAX}));
    EXPECT_EQ(exchange(bootstrap, "status", rank), (std::vector{0, 1, 2}));
  });
}

TEST(Exchange, tells_whose_message_cannot_be_read) {
  for (const std::string& garbage : {std::string(), std::string("seated"), std::string(100, '\xff')})
    EXPECT_THAT(error_of(garbage), testing::AllOf(HasSubstr("rank 3"), HasSubstr("cores")));
  const auto right = encode("cores", Card{"host", {1}});
  EXPECT_EQ(error_of(right), "");
  EXPECT_THAT(error_of(right.substr(0, right.size() - 1)), HasSubstr("rank 3"));
  EXPECT_THAT(error_of(right + "x"), HasSubstr("rank 3"));
  EXPECT_THAT(error_of(encode("cores", std::string("of another kind"))), HasSubstr("rank 3"));
  EXPECT_THAT(error_of(encode("cores", Counts{})), HasSubstr("rank 3"));
  EXPECT_THROW(decode<Counts>("counts", encode("counts", std::array<char, 3>{}), "rank 3"), TransportError);
}

TEST(Exchange, tells_another_version_and_another_exchange) {
  std::string other;
  nlohmann::json::to_cbor(nlohmann::json::array({7, "cores", {}}), other);
  EXPECT_THAT(error_of(other), testing::AllOf(HasSubstr("rank 3"), HasSubstr("version 7")));
  EXPECT_THAT(error_of(encode("status", 1)), testing::AllOf(HasSubstr("rank 3"), HasSubstr("status")));
}

}  // namespace
}  // namespace ringmark
