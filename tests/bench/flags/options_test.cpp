// Bad input is refused with a message that names the flag, the value and what is allowed.
#include "bench/flags/options.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

Parsed<BenchOptions> parse(std::vector<const char*> words, Collective collective = Collective::all_reduce) {
  words.insert(words.begin(), "ringmark-all-reduce");
  return parse_options(collective, static_cast<int>(words.size()), words.data());
}

struct Refused {
  std::vector<const char*> words;
  std::vector<const char*> named;
};

class BadInput : public testing::TestWithParam<Refused> {};

TEST_P(BadInput, is_refused_by_name) {
  const auto parsed = parse(GetParam().words);
  EXPECT_EQ(parsed.exit_status, 2);
  for (const char* text : GetParam().named) EXPECT_NE(parsed.problems.find(text), std::string::npos) << parsed.problems;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadInput,
    testing::Values(Refused{{"-d", "float31"}, {"--datatype", "float31", "float32, float64"}},
                    Refused{{"-o", "add"}, {"--op", "'add'", "sum, prod, min, max, avg"}},
                    Refused{{"--transport", "udp"}, {"--transport udp", "tcp, verbs, nccl, mpi"}},
                    Refused{{"--algorithm", "tree"}, {"--algorithm tree", "ring", "all_reduce"}},
                    Refused{{"--algorithm", "ring", "--transport", "mpi"}, {"--algorithm ring", "MPI library"}},
                    Refused{{"-b", "2M", "-e", "1M"}, {"--min-bytes 2M", "--max-bytes 1M"}},
                    Refused{{"-f", "1"}, {"--step-factor 1", "from 2"}},
                    Refused{{"-i", "0"}, {"--step-bytes 0", "at least 1"}},
                    Refused{{"-f", "2", "-i", "8"}, {"--step-factor 2 and --step-bytes 8", "one of them"}},
                    Refused{{"-b", "-8"}, {"-8"}}, Refused{{"-b=-8"}, {"--min-bytes", "-8", "a size in bytes"}},
                    Refused{{"-e", "99999999999999999999"}, {"--max-bytes 99999999999999999999"}},
                    Refused{{"-e", "64KB"}, {"--max-bytes 64KB", "64KiB"}}, Refused{{"--sizes", "8,,16"}, {"--sizes"}},
                    Refused{{"--sizes", "8", "-b", "8"}, {"--sizes 8", "-b"}},
                    Refused{{"--sizes", "1M,1024K"}, {"--sizes", "1M is given twice"}},
                    Refused{{"-d", "float,float32"}, {"--datatype", "float32 is given twice"}},
                    Refused{{"--sizes", "10"}, {"size 10", "float32", "4 bytes"}},
                    Refused{{"-d", "double", "--sizes", "12"}, {"size 12", "float64"}},
                    Refused{{"--iters", "0"}, {"--iters 0", "from 1"}}, Refused{{"--warmup", "-1"}, {"-1"}},
                    Refused{{"--precision", "0"}, {"--precision 0"}},
                    Refused{{"--precision", "nan"}, {"--precision nan"}},
                    Refused{{"-b", "0"}, {"--min-bytes 0", "--sizes"}},
                    Refused{{"-i", "1", "-d", "int8"}, {"--step-bytes 1", "10000 sizes"}},
                    Refused{{"--sizes", ""}, {"--sizes", "empty"}}, Refused{{"--csv", ""}, {"--csv", "empty"}},
                    Refused{{"--max-time", "fast"}, {"--max-time fast"}},
                    Refused{{"--timing", "loop"}, {"--timing loop", "each, batch"}},
                    Refused{{"--in-place", "maybe"}, {"--in-place maybe", "yes, no, both"}},
                    Refused{{"--check", "2"}, {"--check 2"}}, Refused{{"--ranks", "0"}, {"--ranks 0"}},
                    Refused{{"--set", "tcp.sockets"}, {"--set tcp.sockets", "KEY=VALUE"}},
                    Refused{{"--set", "tcp.socket=2"}, {"tcp.socket", "--list-options"}},
                    Refused{{"--set", "tcp.sockets=0"}, {"tcp.sockets", "'0'", "1 to 64"}},
                    Refused{{"--set", "tcp.sockets=2", "--transport", "mpi"}, {"tcp.sockets=2", "--transport mpi"}},
                    Refused{{"--set", "tcp.socket=2", "--transport", "udp"}, {"--transport udp", "'tcp.socket'"}},
                    Refused{{"--set", "verbs.slot=8K"}, {"verbs.slot=8K", "--transport tcp"}},
                    Refused{{"--ranks-per-node", "2"}, {"--ranks-per-node 2", "--explain"}},
                    Refused{{"--set", "tcp.slice=1K", "--set", "tcp.slice=2K"}, {"twice"}},
                    Refused{{"--set", "tcp.crossover=1"}, {"tcp.crossover", "64 to 64M, or 0"}},
                    Refused{{"--bogus"}, {"--bogus"}}, Refused{{"surplus"}, {"surplus"}}));

TEST(Options, tell_all_problems_at_once) {
  const auto parsed = parse({"-f", "1", "--iters", "0", "-d", "x"});
  EXPECT_NE(parsed.problems.find("--step-factor"), std::string::npos);
  EXPECT_NE(parsed.problems.find("--iters"), std::string::npos);
  EXPECT_NE(parsed.problems.find("--datatype"), std::string::npos);
}

TEST(Options, have_the_defaults_of_the_contract) {
  const auto options = parse({}).options;
  EXPECT_EQ(options.transport, Transport::tcp);
  EXPECT_EQ(options.sizes.sizes().front(), 8U);
  EXPECT_EQ(options.sizes.sizes().back(), 64U << 20);
  EXPECT_EQ(options.sizes.factor, 2U);
  EXPECT_EQ(options.precision_percent, 2);
  EXPECT_EQ(options.max_time.count(), 5);
  EXPECT_EQ(options.timeout.count(), 60'000);
  EXPECT_TRUE(options.in_place && options.out_of_place && options.check);
  EXPECT_EQ(options.timing, Timing::each);
}

TEST(Options, accept_the_spellings_of_nccl_tests) {
  const auto options =
      parse({"-b", "8", "-e", "1K", "-f", "4", "-n", "20", "-w", "3", "-c", "0", "-d", "half,float", "-o", "all"})
          .options;
  EXPECT_EQ(options.sizes.sizes(), (std::vector<std::size_t>{8, 32, 128, 512}));
  EXPECT_EQ(options.iterations, 20);
  EXPECT_EQ(options.datatypes, (std::vector{DataType::float16, DataType::float32}));
  EXPECT_EQ(options.ops.size(), 5U);
  EXPECT_FALSE(options.check);
}

TEST(Options, set_transport_options) {
  const auto options = parse({"--set", "tcp.sockets=4", "--set", "tcp.spin=0", "--set", "tcp.crossover=32K"}).options;
  EXPECT_EQ(options.tcp.crossover_bytes, 32U << 10);
  EXPECT_EQ(parse({"--set", "tcp.crossover=0"}).options.tcp.crossover_bytes, 0U);
  const auto verbs = parse({"--transport", "verbs", "--set", "verbs.crossover=1M"}).options;
  EXPECT_EQ(verbs.verbs.crossover_bytes, 1U << 20);
  EXPECT_EQ(options.tcp.sockets, 4);
  EXPECT_EQ(options.tcp.spin.count(), 0);
  EXPECT_EQ(options.settings.at("tcp.sockets"), "4");
}

TEST(Sizes, of_blocks_round_down) {
  EXPECT_EQ(count_for(Collective::reduce_scatter, DataType::float32, 3, 100), 8U);
  EXPECT_EQ(count_for(Collective::all_gather, DataType::float64, 4, 16), 0U);
  EXPECT_EQ(count_for(Collective::all_reduce, DataType::float32, 3, 100), 25U);
  EXPECT_FALSE(parse({"--sizes", "10"}, Collective::all_gather).exit_status);
}

TEST(Sizes, end_without_overflow) {
  SizePlan plan{.min_bytes = std::size_t{1} << 62, .max_bytes = SIZE_MAX, .factor = 4};
  EXPECT_EQ(plan.sizes().size(), 1U);
}

}  // namespace
}  // namespace ringmark
