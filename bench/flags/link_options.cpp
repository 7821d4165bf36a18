#include "bench/flags/link_options.hpp"

#include <array>

namespace ringmark {
namespace {

struct LinkCommandLine {
  LinkCommandLine();
  void check();

  LinkOptions options;
  RunFlags common{options};
  std::vector<std::size_t> sizes;
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
               "latency, bandwidth or both; burst: a message after the link has rested; all: all three");
  flags.choice("--pairs", options.all_pairs, {{"first", false}, {"all", true}},
               "first: from rank 0 to rank 1; all: every pair both ways, one at a time");
  flags.sizes("--sizes", sizes,
              fmt::format("message sizes; by default {} for latency, {} for the others",
                          format_size(options.latency_sizes.front()), format_size(options.bandwidth_sizes.front())),
              1);
  common.declare_duration(flags);
  common.declare_output(flags);
  common.declare_rest(flags);
  flags.examples({"ringmark-link --ranks 2", "mpirun -n 8 ringmark-link --pairs all --test bandwidth --csv links.csv",
                  "mpirun -n 2 ringmark-link --transport verbs --set verbs.device=mlx5_0 --sizes 8,64K,4M"});
}

void LinkCommandLine::check() {
  common.check(flags);
  if (options.ranks && *options.ranks < 2) flags.problem("--ranks", "a link has two ends", "give at least 2");
  if (!sizes.empty()) options.latency_sizes = options.bandwidth_sizes = sizes;
}

}  // namespace

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv) {
  LinkCommandLine line;
  return line.flags.read(line.options, argc, argv, [&] { line.check(); });
}

std::vector<FlagFacts> link_flags() { return LinkCommandLine().flags.list_all(); }

}  // namespace ringmark
