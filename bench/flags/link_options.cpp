#include "bench/flags/link_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace ringmark {
namespace {

struct LinkCommandLine {
  LinkCommandLine();
  void check();
  std::string read_leaves(const std::string& word);

  LinkOptions options;
  RunFlags common{options};
  std::vector<std::size_t> sizes, latency_sizes;
  std::uint64_t seed = PairChoice().seed;
  Flags flags{"ringmark-link",
              "Measures latency, bandwidth and burst between ranks. Start it with mpirun, or with --ranks N.",
              version_line()};
};

LinkCommandLine::LinkCommandLine() {
  constexpr auto latency = LinkTest::latency, bandwidth = LinkTest::bandwidth, burst = LinkTest::burst;
  flags.group(heading::measured);
  flags.choice("--test", options.tests,
               {{"both", {latency, bandwidth}},
                {"latency", {latency}},
                {"bandwidth", {bandwidth}},
                {"burst", {burst}},
                {"all", {latency, bandwidth, burst}}},
               "latency, bandwidth or both; burst: one message after the link has been idle; all: all three");
  flags.word(
      "--pairs", "PAIRS", "first",
      [this](const std::string& word) -> std::string {
        const auto pairs = parse_pairs(word);
        if (!pairs) return fmt::format("give {}", allowed_pairs);
        options.pairs.kind = pairs->kind;
        options.pairs.rounds = pairs->rounds;
        options.pairs.senders = pairs->senders;
        return {};
      },
      "first: from rank 0 to rank 1; all: every pair in both directions, in rounds of concurrent pairs that share no "
      "host; rounds:K: the first K rounds; random:K: K rounds of random pairs; bisection: random halves; "
      "incast:K: K ranks to one concurrently, each rank in turn");
  flags.number("--seed", seed, 0, std::numeric_limits<std::uint64_t>::max(),
               "seed of random pairs, halves and senders");
  flags.number("--rails", options.pairs.rails, 1, 64,
               "number of consecutive ranks that are the NICs of one host: pairs join ranks of the same rail on "
               "different hosts");
  flags.number("--at-once", options.most_at_once, 1, 1'000'000, "maximum number of concurrent pairs; 1: one at a time");
  flags.word(
      "--leaf-of", "LIST", "", [this](const std::string& word) { return read_leaves(word); },
      "the leaf number of each rank, such as 0,0,1,1: concurrent pairs then share no leaf's uplinks, so that "
      "they do not slow each other down");
  flags.toggle("--explain", options.explain,
               "show which links would be measured concurrently for --ranks, without running anything");
  flags.number(
      "--alone", options.repeat_alone, 0, 1000,
      "number of pairs to measure again one at a time after a concurrent scan, to tell slow pairs from shared paths");
  flags.sizes("--sizes", sizes,
              fmt::format("message sizes; by default {} for latency, {} for the others",
                          format_size(options.latency_sizes.front()), format_size(options.bandwidth_sizes.front())),
              1);
  flags.sizes("--latency-sizes", latency_sizes, "message sizes for latency, overriding --sizes", 1);
  common.declare_duration(flags);
  common.declare_output(flags);
  common.declare_rest(flags);
  flags.examples({"ringmark-link --ranks 2", "mpirun -n 8 ringmark-link --pairs all --test bandwidth --csv links.csv",
                  "mpirun -n 2 ringmark-link --transport verbs --set verbs.device=mlx5_0 --sizes 8,64K,4M"});
}

void LinkCommandLine::check() {
  common.check(flags);
  options.pairs.seed = seed;
  options.time_is_given = flags.is_given("--max-time");
  if (options.ranks && *options.ranks < 2) flags.problem("--ranks", "a link has two ends", "give at least 2");
  if (options.pairs.rails > 1 && options.pairs.kind == PairKind::first)
    flags.problem("--rails", "--pairs first joins ranks 0 and 1, which are two NICs of the same host",
                  "give --pairs all, rounds:K, random:K, bisection or incast:K");
  if (options.most_at_once < options.pairs.senders)
    flags.problem("--at-once", "all senders of an incast send concurrently",
                  fmt::format("give at least {}, or --pairs incast:{}", options.pairs.senders, options.most_at_once));
  if (options.ranks) {
    if (auto problem = problem_of(options, *options.ranks)) flags.add_problem(*std::move(problem));
  }
  if (options.explain && !options.ranks) flags.problem("--explain", "needs the number of ranks", "give --ranks N");
  if (!sizes.empty()) options.latency_sizes = options.bandwidth_sizes = sizes;
  if (!latency_sizes.empty()) options.latency_sizes = latency_sizes;
}

std::string LinkCommandLine::read_leaves(const std::string& word) {
  constexpr int most_leaves = 1'000'000;
  options.leaf_of.clear();
  for (const auto& part : split_at_commas(word)) {
    int leaf = 0;
    if (!read_number(part, 0, most_leaves, leaf))
      return fmt::format("'{}' is not a leaf number; give one per rank, such as 0,0,1,1", part);
    options.leaf_of.push_back(leaf);
  }
  return {};
}

}  // namespace

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv) {
  LinkCommandLine line;
  return line.flags.read(line.options, argc, argv, [&] { line.check(); });
}

std::optional<Problem> problem_of(const LinkOptions& options, int ranks) {
  const int rails = options.pairs.rails;
  if (rails > 1 && (ranks % rails != 0 || ranks == rails))
    return Problem{.flag = "--rails",
                   .value = std::to_string(rails),
                   .text = fmt::format("{} ranks cannot be split evenly over two or more hosts", ranks),
                   .remedy = "start one rank per NIC on each host"};
  if (auto problem = problem_of(options.pairs, ranks)) return problem;
  if (!options.leaf_of.empty() && options.leaf_of.size() != static_cast<std::size_t>(ranks))
    return Problem{.flag = "--leaf-of",
                   .value = fmt::format("{} numbers", options.leaf_of.size()),
                   .text = fmt::format("there are {} ranks", ranks),
                   .remedy = "give one number per rank"};
  return std::nullopt;
}

std::vector<FlagFacts> link_flags() { return LinkCommandLine().flags.list_all(); }

}  // namespace ringmark
