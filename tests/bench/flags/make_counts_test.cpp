// Counts from files and distributions: whose sums are kept, and what is refused.
#include "bench/flags/make_counts.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

std::string counts_file(const std::string& text) {
  auto path = testing::TempDir() + "ringmark-counts-" + std::to_string(getpid());
  std::ofstream(path) << text;
  return path;
}

std::vector<std::size_t> row_of(const BlockCounts& counts, int rank) {
  std::vector<std::size_t> row;
  for (int to = 0; to < counts.ranks(); ++to) row.push_back(counts.sent(rank, to).length);
  return row;
}

auto pairs(const std::string& text, int ranks, std::size_t bytes) {
  return make_counts(read_counts(text, "--counts"), Collective::all_to_all, DataType::float32, ranks, bytes);
}

TEST(MakeCounts, uniform_has_equal_blocks) {
  const auto counts = pairs("uniform", 4, 100);
  EXPECT_EQ(row_of(*counts, 3), (std::vector<std::size_t>{6, 6, 6, 6}));
}

TEST(MakeCounts, every_rank_sends_the_size_whatever_the_distribution) {
  for (const auto* text : {"uniform", "skew:0", "skew:1.2", "skew:10", "sparse", "sparse:3"}) {
    for (const int ranks : {1, 2, 3, 8, 31}) {
      const auto counts = pairs(text, ranks, 40'000);
      for (int rank = 0; rank < ranks; ++rank) {
        const auto each = 10'000 / static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
        EXPECT_EQ(counts->sent_by(rank), each) << text << " " << ranks;
      }
    }
  }
}

TEST(MakeCounts, skew_is_zipfs) {
  const auto counts = pairs("skew:1", 4, 4 * 4800);
  EXPECT_EQ(row_of(*counts, 2), (std::vector<std::size_t>{2304, 1152, 768, 576}));
  EXPECT_EQ(counts->bound(), 3U * 2304);  // rank 0 receives most, from three others
}

TEST(MakeCounts, congestion_is_of_one_receiver_or_of_none) {
  const auto incast = pairs("incast:2", 4, 400);
  EXPECT_EQ(incast->received_by(2), 300U);
  EXPECT_EQ(incast->sent_by(2), 0U);
  EXPECT_EQ(incast->bound(), 300U);
  const auto permutation = pairs("permutation:3", 9, 400);
  for (int rank = 0; rank < 9; ++rank) {
    EXPECT_EQ(permutation->sent_by(rank), 99U);
    EXPECT_EQ(permutation->received_by(rank), 99U);
    EXPECT_EQ(permutation->sent(rank, rank).length, 0U);
  }
  EXPECT_NE(row_of(*pairs("permutation:4", 9, 400), 0), row_of(*permutation, 0));
}

TEST(MakeCounts, sparse_has_as_many_senders_as_receivers_of_each_rank) {
  const auto counts = pairs("sparse:3", 7, 4 * 2100);
  for (int rank = 0; rank < 7; ++rank) {
    EXPECT_EQ(counts->received_by(rank), 2100U);
    EXPECT_EQ(counts->sent(rank, rank).length, 0U);
    const auto row = row_of(*counts, rank);
    EXPECT_EQ(std::count(row.begin(), row.end(), 0U), 4);
  }
}

TEST(MakeCounts, sparse_has_so_many_blocks_of_many_ranks) {
  constexpr int ranks = 100'000, peers = 50'000;
  const auto counts = make_counts(SparseCounts{peers}, Collective::all_gather, DataType::uint8, ranks, ranks);
  int blocks = 0;
  for (int rank = 0; rank < ranks; ++rank) blocks += counts->block(rank).length > 0 ? 1 : 0;
  EXPECT_EQ(blocks, peers);
}

TEST(MakeCounts, experts_get_the_tokens_that_they_have_room_for) {
  constexpr int ranks = 8;
  const auto wide = pairs("experts:64,8,7,100", ranks, 4 * 65'536);
  const auto tight = pairs("experts:64,8,7,1", ranks, 4 * 65'536);
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(wide->sent_by(rank), 65'536U);  // nothing was dropped
    EXPECT_LT(tight->sent_by(rank), 65'536U);
    for (int to = 0; to < ranks; ++to) EXPECT_LE(tight->sent(rank, to).length, 65'536U / ranks);
  }
  // Equal parts would have 7/8 of what a rank sends; some rank has popular experts.
  EXPECT_GT(wide->bound(), 65'536U * 7 / 8 * 9 / 8);
  EXPECT_EQ(pairs("experts:64,8,7,100", ranks, 4 * 65'536)->bound(), wide->bound());
  EXPECT_NE(pairs("experts:64,8,8,100", ranks, 4 * 65'536)->bound(), wide->bound());
}

TEST(MakeCounts, experts_lose_no_element_to_rounding) {
  for (const auto* text : {"experts:64,8,7,100", "experts:3,3,1,100", "experts:5,1,2,100", "experts:1024,1024,1,100",
                           "experts:65536,65536,1,1"}) {
    for (const std::size_t elements : {4, 1000, 16'380, 100'000}) {
      const auto counts = pairs(text, 4, 4 * elements);
      for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(counts->sent_by(rank), elements) << text << " " << rank;
    }
  }
}

TEST(MakeCounts, each_token_goes_to_different_experts) {
  // All experts of each token: every expert gets as many, whatever its popularity.
  const auto counts = pairs("experts:4,4,3,100", 4, 4 * 4096);
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(row_of(*counts, rank), std::vector<std::size_t>(4, 1024));
}

TEST(MakeCounts, experts_may_be_fewer_than_ranks) {
  const auto counts = pairs("experts:2,1,1", 4, 4 * 4096);
  EXPECT_EQ(counts->received_by(1), 0U);
  EXPECT_GT(counts->received_by(0), 0U);
  EXPECT_GT(counts->received_by(2), 0U);
}

TEST(MakeCounts, a_matrix_of_nccl_tests_is_read_as_it_has_it) {
  const auto path = counts_file("  100  200  150\n50 100 75\n\n300 150 200\n");
  const auto choice = read_counts(path, "--counts");
  EXPECT_EQ(own_size(choice, Collective::all_to_all), 441U);
  const auto counts = make_counts(choice, Collective::all_to_all, DataType::float32, 3, 0);
  EXPECT_EQ(row_of(*counts, 1), (std::vector<std::size_t>{12, 25, 18}));
  // The first ranks count if the matrix is larger.
  EXPECT_EQ(make_counts(choice, Collective::all_to_all, DataType::uint8, 2, 0)->sent_by(0), 300U);
}

TEST(MakeCounts, blocks_of_ranks_come_from_a_line_or_a_column) {
  for (const auto* text : {"1,2e1,3\n", "# bytes\n1\n20\n3\n", "1; 20; 3"}) {
    const auto counts =
        make_counts(read_counts(counts_file(text), "--counts"), Collective::all_gather, DataType::uint8, 3, 0);
    EXPECT_EQ(counts->block(1), (Extent{1, 20})) << text;
    EXPECT_EQ(counts->total(), 24U);
  }
}

TEST(MakeCounts, the_basis_is_what_a_library_or_a_file_says) {
  const auto basis = [](const std::string& text, int ranks) { return basis_of(read_counts(text, "--counts"), ranks); };
  EXPECT_EQ(basis("skew:1", 4), (std::vector<std::uint64_t>{1UL << 32U, 1UL << 31U, 1'431'655'765, 1UL << 30U}));
  EXPECT_EQ(basis("experts:64,8,1", 4).size(), 64U);
  EXPECT_NE(basis("experts:64,8,1", 4), basis("experts:64,8,2", 4));
  EXPECT_EQ(basis(counts_file("1 2\n3 4\n"), 2), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  for (const auto* text : {"uniform", "sparse", "incast", "permutation:1"}) EXPECT_TRUE(basis(text, 4).empty()) << text;
}

TEST(MakeCounts, what_does_not_fit_is_refused_by_name) {
  const auto problem_of = [](const std::string& text) -> Problem {
    try {
      read_counts(text, "--counts");
    } catch (const BadUsage& error) {
      return error.problems().front();
    }
    return {};
  };
  for (const auto* wrong : {"skew", "skew:-1", "skew:nan", "experts:4,5,1", "experts:4,2", "sparse:0", "incast:x",
                            "permutation", "no such file"}) {
    EXPECT_EQ(problem_of(wrong).flag, "--counts") << wrong;
    EXPECT_EQ(problem_of(wrong).value, wrong);
  }
  EXPECT_EQ(problem_of(counts_file("1 2\n3 x\n")).place->line, 2);
  EXPECT_EQ(problem_of(counts_file("1 2\n3 -4\n")).value, "-4");
  EXPECT_EQ(problem_of(counts_file("1 2\n3\n")).place->line, 2);
  EXPECT_EQ(problem_of(counts_file("68719476736 2\n3 4\n")).value, "68719476736");
  EXPECT_EQ(problem_of(counts_file("\n")).flag, "--counts");

  const auto matrix = read_counts(counts_file("1 2\n3 4\n"), "--counts");
  EXPECT_FALSE(why_no_counts(matrix, Collective::all_to_all, 2));
  EXPECT_TRUE(why_no_counts(matrix, Collective::all_to_all, 3));
  EXPECT_THROW(make_counts(matrix, Collective::all_to_all, DataType::uint8, 3, 0), BadUsage);
  EXPECT_TRUE(why_no_counts(matrix, Collective::all_gather, 2));
  EXPECT_TRUE(why_no_counts(ExpertCounts{}, Collective::reduce_scatter, 2));
  EXPECT_TRUE(why_no_counts(IncastCounts{4}, Collective::all_to_all, 4));
  EXPECT_TRUE(why_no_counts(SkewedCounts{}, Collective::all_to_all, 5000));
  for (const auto* text : {"uniform", "skew:1", "experts:4,2,1", "incast"})
    EXPECT_THROW(pairs(text, 4, std::size_t{1} << 60U), BadUsage) << text;
}

}  // namespace
}  // namespace ringmark
