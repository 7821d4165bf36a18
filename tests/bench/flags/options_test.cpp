// Bad input is refused with a message that names the flag, the value and what is allowed.
#include "bench/flags/options.hpp"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/flags/link_options.hpp"
#include "tests/base/problem_texts.hpp"

namespace ringmark {
namespace {

Parsed<BenchOptions> parse(std::vector<const char*> words, Collective collective = Collective::all_reduce) {
  words.insert(words.begin(), "ringmark-all-reduce");
  return parse_options(collective, static_cast<int>(words.size()), words.data());
}

TEST(Root, is_a_rank_of_a_rooted_collective) {
  EXPECT_EQ(parse({"--root", "3", "--ranks", "4"}, Collective::broadcast).options.root, 3);
  const auto too_high = parse({"--root", "4", "--ranks", "4"}, Collective::reduce);
  EXPECT_EQ(too_high.exit_status, 2);
  ASSERT_FALSE(too_high.problems.empty());
  EXPECT_EQ(too_high.problems.front().flag, "--root");
  EXPECT_EQ(too_high.problems.front().value, "4");
  EXPECT_EQ(parse({"--root", "1"}, Collective::all_to_all).exit_status, 2) << "it has no root";
}

TEST(Algorithm, is_auto_with_or_without_a_file_or_one_of_the_collective) {
  const auto with_file = parse({"--algorithm", "auto:choices"});
  EXPECT_EQ(with_file.options.algorithm, "auto");
  EXPECT_EQ(with_file.options.algorithms_path, "choices");
  EXPECT_EQ(parse({"--algorithm", "ring"}).options.algorithm, "ring");
  for (const auto* word : {"auto:", "bruck", "ring:choices"})
    EXPECT_EQ(parse({"--algorithm", word}).exit_status, 2) << word;
  EXPECT_EQ(parse({"--transport", "nccl", "--algorithm", "auto:choices"}).exit_status, 2) << "NCCL chooses";
}

TEST(Start, is_a_barrier_unless_a_window_is_asked_for) {
  EXPECT_EQ(parse({}).options.start, Start::barrier);
  EXPECT_EQ(parse({"--start", "window"}).options.start, Start::window);
  EXPECT_EQ(parse({"--start", "soon"}).exit_status, 2);
}

TEST(Pattern, belongs_to_send_recv) {
  EXPECT_EQ(parse({"--pattern", "neighbours"}, Collective::send_recv).options.pattern, Pattern::neighbours);
  EXPECT_EQ(parse({"--pattern", "star"}, Collective::send_recv).exit_status, 2);
  EXPECT_EQ(parse({"--pattern", "pairs"}, Collective::broadcast).exit_status, 2);
}

TEST(InPlace, is_left_out_where_hardly_anything_can_do_it) {
  EXPECT_FALSE(parse({}, Collective::all_to_all).options.in_place);
  EXPECT_TRUE(parse({"--in-place", "both"}, Collective::all_to_all).options.in_place);
  EXPECT_TRUE(parse({}, Collective::gather).options.in_place);
}

struct Refused {
  std::vector<const char*> words;
  std::string flag, value;
  std::vector<const char*> named;  ///< words of the message
};

class BadInput : public testing::TestWithParam<Refused> {};

TEST_P(BadInput, is_refused_by_name) {
  const auto& refused = GetParam();
  const auto parsed = parse(refused.words);
  EXPECT_EQ(parsed.exit_status, 2);
  const auto is_meant = [&](const Problem& each) { return each.flag == refused.flag && each.value == refused.value; };
  const auto problem = std::find_if(parsed.problems.begin(), parsed.problems.end(), is_meant);
  ASSERT_NE(problem, parsed.problems.end()) << to_text(parsed.problems);
  for (const char* text : refused.named) EXPECT_THAT(to_text(*problem), testing::HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadInput,
    testing::Values(
        Refused{{"-d", "float31"}, "--datatype", "float31", {"float32, float64"}},
        Refused{{"-o", "add"}, "--op", "add", {"sum, prod, min, max, avg"}},
        Refused{{"--transport", "udp"}, "--transport", "udp", {"tcp, verbs, nccl, mpi"}},
        Refused{{"--algorithm", "tree"}, "--algorithm", "tree", {"auto:FILE, ring"}},
        Refused{{"--algorithm", "ring", "--transport", "mpi"}, "--algorithm", "ring", {"MPI library"}},
        Refused{{"-b", "2M", "-e", "1M"}, "--min-bytes", "2M", {"--max-bytes 1M"}},
        Refused{{"-f", "1"}, "--step-factor", "1", {"from 2"}},
        Refused{{"-i", "0"}, "--step-bytes", "0", {"at least 1"}},
        Refused{{"-f", "2", "-i", "8"}, "--step-factor", "2", {"--step-bytes 8", "one of them"}},
        Refused{{"-b", "-8"}, "--min-bytes", "-8", {"a size in bytes"}},
        Refused{{"-b=-8"}, "--min-bytes", "=-8", {"a size in bytes"}},
        Refused{{"-e", "99999999999999999999"}, "--max-bytes", "99999999999999999999", {"a size"}},
        Refused{{"-e", "64Kb"}, "--max-bytes", "64Kb", {"64K"}},
        Refused{{"--sizes", "8,,16"}, "--sizes", "8,,16", {"a size"}},
        Refused{{"--sizes", "8", "-b", "8"}, "--sizes", "8", {"--min-bytes"}},
        Refused{{"--sizes", "1M,1024K"}, "--sizes", "1M,1024K", {"1M is given twice"}},
        Refused{{"-d", "float,float32"}, "--datatype", "float,float32", {"float32 is given twice"}},
        Refused{{"--sizes", "10"}, "--sizes", "10", {"float32", "4 bytes"}},
        Refused{{"-d", "double", "--sizes", "12"}, "--sizes", "12", {"float64"}},
        Refused{{"-b", "6"}, "--min-bytes", "6", {"float32"}}, Refused{{"--iters", "0"}, "--iters", "0", {"from 1"}},
        Refused{{"--iters", "3", "--iters", "4"}, "--iters", "4", {"twice"}},
        Refused{{"--warmup", "-1"}, "--warmup", "-1", {"from 0"}},
        Refused{{"--precision", "0"}, "--precision", "0", {"0.01"}},
        Refused{{"--precision", "nan"}, "--precision", "nan", {"percentage"}},
        Refused{{"-b", "0"}, "--min-bytes", "0", {"--sizes"}},
        Refused{{"-i", "1", "-d", "int8"}, "--step-bytes", "1", {"10000 sizes"}},
        Refused{{"--sizes", ""}, "--sizes", "", {"empty"}}, Refused{{"--csv", ""}, "--csv", "", {"empty"}},
        Refused{{"--max-time", "fast"}, "--max-time", "fast", {"seconds"}},
        Refused{{"--timing", "loop"}, "--timing", "loop", {"each, batch"}},
        Refused{{"--in-place", "maybe"}, "--in-place", "maybe", {"yes, no, both"}},
        Refused{{"--check", "2"}, "--check", "2", {"1, 0"}}, Refused{{"--ranks", "0"}, "--ranks", "0", {"from 1"}},
        Refused{{"--set", "tcp.sockets"}, "--set", "tcp.sockets", {"KEY=VALUE"}},
        Refused{{"--set", "tcp.socket=2"}, "--set", "tcp.socket=2", {"--list-options"}},
        Refused{{"--set", "tcp.sockets=0"}, "--set", "tcp.sockets=0", {"'0'", "1 to 64"}},
        Refused{{"--set", "tcp.sockets=2", "--transport", "mpi"}, "--set", "tcp.sockets=2", {"mpi"}},
        Refused{{"--set", "tcp.socket=2", "--transport", "udp"}, "--transport", "udp", {"tcp"}},
        Refused{{"--set", "tcp.socket=2", "--transport", "udp"}, "--set", "tcp.socket=2", {"unknown option"}},
        Refused{{"--set", "verbs.slot=8K"}, "--set", "verbs.slot=8K", {"--transport tcp"}},
        Refused{{"--ranks-per-node", "2"}, "--ranks-per-node", "2", {"--explain"}},
        Refused{{"--ranks", "4", "--groups", "tp:2,dp", "--explain"}, "--groups", "tp:2,dp", {"--ranks"}},
        Refused{{"--set", "tcp.slice=1K", "--set", "tcp.slice=2K"}, "--set", "tcp.slice=2K", {"twice"}},
        Refused{{"--set", "tcp.crossover=1"}, "--set", "tcp.crossover=1", {"64 to 64M, or 0"}},
        Refused{{"--bogus"}, "--bogus", "", {"not expected"}},
        Refused{{"-b", "1000", "-e", "1003", "-i", "1"}, "--step-bytes", "1", {"1001", "4 bytes"}},
        Refused{{"-d", "double", "-i", "4", "-e", "1K"}, "--step-bytes", "4", {"12", "float64"}},
        Refused{{"-i", "4", "-b", "6", "-e", "1K"}, "--min-bytes", "6", {"float32"}},
        Refused{{"--max-size", "1M"}, "--max-size", "1M", {"--max-bytes"}},
        Refused{{"--minbytes", "-8"}, "--min-bytes", "-8", {"a size in bytes"}},
        Refused{{"-g", "8"}, "-g", "8", {"nccl-tests", "start 8 ranks", "--ranks 8"}},
        Refused{{"--nthreads", "4"}, "--nthreads", "4", {"nccl-tests", "start 4 ranks"}},
        Refused{{"-g", "x"}, "-g", "x", {"nccl-tests", "give 1"}},
        Refused{{"-z", "1"}, "-z", "1", {"nccl-tests", "--timing each"}},
        Refused{{"-G", "10"}, "-G", "10", {"nccl-tests", "nccl.graph=1"}},
        Refused{{"-R", "2"}, "-R", "2", {"nccl-tests", "nccl.buffer=window"}},
        Refused{{"-x", "1"}, "-x", "1", {"nccl-tests", "NCCL_CTA_POLICY"}},
        Refused{{"-N", "3"}, "-N", "3", {"nccl-tests", "--repetition"}},
        Refused{{"-T", "30"}, "-T", "30", {"nccl-tests", "--timeout"}},
        Refused{{"-m", "2"}, "-m", "2", {"nccl-tests", "--timing batch"}},
        Refused{{"-r", "1"}, "-r", "1", {"nccl-tests", "root"}},
        Refused{{"-J", "x.json"}, "-J", "x.json", {"nccl-tests", "--json"}},
        Refused{{"--label", "eu1"}, "--label", "eu1", {"KEY=VALUE"}},
        Refused{{"--label", "a b=c"}, "--label", "a b=c", {"'a b'"}},
        Refused{{"--label", "a=1", "--label", "a=2"}, "--label", "a=2", {"twice"}},
        Refused{{"surplus"}, "surplus", "", {"not expected"}}));

TEST(Options, tell_all_problems_at_once) {
  std::vector<std::string> flags;
  for (const auto& problem : parse({"-f", "1", "--iters", "0", "-d", "x", "--set", "x"}).problems)
    flags.push_back(problem.flag);
  EXPECT_THAT(flags, testing::UnorderedElementsAre("--step-factor", "--iters", "--datatype", "--set"));
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

TEST(Options, labels_are_settings_of_rows) {
  const auto options = parse({"--label", "cluster=eu1", "--label", "rack=a=b", "--set", "tcp.sockets=2"}).options;
  EXPECT_EQ(options.settings, (std::map<std::string, std::string>{
                                  {"label.cluster", "eu1"}, {"label.rack", "a=b"}, {"tcp.sockets", "2"}}));
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
  const auto same = parse({"--minbytes", "8", "--maxbytes=4MB", "--stepfactor", "4", "--warmup_iters", "3", "-d",
                           "bf16,fp16", "-g", "1"})
                        .options;
  EXPECT_EQ(same.sizes.sizes().back(), 2U << 20);
  EXPECT_EQ(same.warmup, 3);
  EXPECT_EQ(same.datatypes, (std::vector{DataType::bfloat16, DataType::float16}));
}

TEST(Options, accept_what_nccl_tests_does_by_default) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"-g", "1"}, {"-g1"},     {"--ngpus", "1"}, {"-t", "1"}, {"-N", "1"}, {"-m", "1"}, {"-p", "0"},
           {"-p", "1"}, {"-z", "0"}, {"-y", "0"},      {"-G", "0"}, {"-C", "0"}, {"-S", "0"}, {"-R", "0"},
           {"-D", "0"}, {"-M", "0"}, {"-u", "0"},      {"-I", "0"}, {"-K", "0"}, {"-T", "0"}, {"-r", "0"}}) {
    const auto parsed = parse(words);
    EXPECT_FALSE(parsed.exit_status) << words.front() << ": " << to_text(parsed.problems);
  }
}

TEST(Options, refuse_the_groups_of_nccl_tests_variables) {
  ::setenv("NCCL_TESTS_SPLIT", "MOD 2", 1);
  const auto refused = parse({});
  const auto grouped = parse({"--groups", "MOD 2"});
  ::unsetenv("NCCL_TESTS_SPLIT");
  ASSERT_EQ(refused.problems.size(), 1U);
  EXPECT_EQ(refused.problems[0].flag, "NCCL_TESTS_SPLIT");
  EXPECT_THAT(to_text(refused.problems[0]), testing::HasSubstr("--groups 'MOD 2'"));
  EXPECT_FALSE(grouped.exit_status) << to_text(grouped.problems);
}

TEST(Options, have_a_root_where_the_operation_has_one) {
  const auto parsed = parse({"-r", "3"}, Collective::broadcast);
  EXPECT_EQ(parsed.options.root, 3) << to_text(parsed.problems);
}

TEST(Options, set_transport_options) {
  const auto options = parse({"--set", "tcp.sockets=4", "--set", "tcp.spin=0", "--set", "tcp.crossover=32K"}).options;
  EXPECT_EQ(options.of<TcpOptions>().crossover_bytes, 32U << 10);
  EXPECT_EQ(parse({"--set", "tcp.crossover=0"}).options.of<TcpOptions>().crossover_bytes, 0U);
  const auto verbs = parse({"--transport", "verbs", "--set", "verbs.crossover=1M"}).options;
  EXPECT_EQ(verbs.of<VerbsOptions>().crossover_bytes, 1U << 20);
  EXPECT_EQ(options.of<TcpOptions>().sockets, 4);
  EXPECT_EQ(options.of<TcpOptions>().spin.count(), 0);
  EXPECT_EQ(options.settings.at("tcp.sockets"), "4");
}

/// The default that --help prints is the value of a command line without flags.
TEST(Flags, print_the_defaults_that_they_have) {
  for (const auto& facts : bench_flags(Collective::all_reduce)) {
    if (facts.default_text.empty()) continue;
    const auto word = facts.name + "=" + facts.default_text;
    const auto parsed = parse({word.c_str()});
    const auto& given = parsed.options;
    const BenchOptions none;
    EXPECT_FALSE(parsed.exit_status) << to_text(parsed.problems);
    EXPECT_EQ(given.sizes.sizes(), none.sizes.sizes()) << word;
    EXPECT_EQ(given.datatypes, none.datatypes) << word;
    EXPECT_EQ(given.ops, none.ops) << word;
    EXPECT_EQ(std::tie(given.algorithm, given.timing, given.in_place, given.out_of_place, given.check),
              std::tie(none.algorithm, none.timing, none.in_place, none.out_of_place, none.check))
        << word;
    EXPECT_EQ(std::tie(given.transport, given.iterations, given.warmup, given.precision_percent, given.max_time,
                       given.timeout, given.repetition),
              std::tie(none.transport, none.iterations, none.warmup, none.precision_percent, none.max_time,
                       none.timeout, none.repetition))
        << word;
  }
}

TEST(Flags, name_their_choices_in_help) {
  for (const auto& flags : {bench_flags(Collective::all_reduce), bench_flags(Collective::all_gather), link_flags()}) {
    for (const auto& facts : flags) {
      EXPECT_FALSE(facts.meaning.empty()) << facts.name;
      for (const auto& choice : facts.choices) EXPECT_THAT(facts.meaning, testing::HasSubstr(choice)) << facts.name;
    }
  }
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
