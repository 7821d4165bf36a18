#include "transports/bootstrap/contributions.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

using Parts = std::vector<std::string>;

TEST(Contributions, survive_writing_and_reading) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Parts parts(1 + random() % 12);
    for (auto& part : parts) part.assign(random() % 3, static_cast<char>(random() % 3 + 254));
    const auto ranks = static_cast<int>(parts.size());
    ASSERT_EQ(decode_contributions(encode_contributions(parts), ranks, "rank 0"), parts);
  }
}

TEST(Contributions, grow_only_with_what_differs) {
  const std::string words(300, 'w');
  const auto bytes_of = [&](int ranks, int ranks_of_value) {
    Parts parts;
    for (int rank = 0; rank < ranks; ++rank) parts.push_back(fmt::format("{} {:04}", words, rank / ranks_of_value));
    return encode_contributions(parts).size();
  };
  EXPECT_LT(bytes_of(4096, 4096), bytes_of(64, 64) + 10) << "all say the same";
  EXPECT_LT(bytes_of(4096, 8), 512 * (words.size() + 20)) << "the ranks of a host say the same";
  EXPECT_LT(bytes_of(4096, 1), 4096 * (words.size() + 20)) << "each says something else";
}

TEST(Contributions, of_another_shape_or_number_are_refused) {
  const auto good = encode_contributions({"a", "a", "b"});
  EXPECT_THROW(decode_contributions(good, 2, "rank 0"), TransportError);
  EXPECT_THROW(decode_contributions(good, 4, "rank 0"), TransportError);
  EXPECT_THROW(decode_contributions(good.substr(1), 3, "rank 0"), TransportError);
  using Numbers = std::vector<std::uint64_t>;
  const auto shaped = [](const Numbers& which, const Numbers& counts) {
    return pack_message("contributions", {{"values", Parts{"a"}}, {"which", which}, {"counts", counts}});
  };
  EXPECT_EQ(decode_contributions(shaped({0}, {3}), 3, "rank 0"), Parts(3, "a"));
  EXPECT_THROW(decode_contributions(shaped({1}, {3}), 3, "rank 0"), TransportError);
  EXPECT_THROW(decode_contributions(shaped({0, 0}, {3}), 3, "rank 0"), TransportError);
  EXPECT_THROW(decode_contributions(shaped({0}, {std::uint64_t{1} << 60U}), 3, "rank 0"), TransportError);
}

}  // namespace
}  // namespace ringmark
