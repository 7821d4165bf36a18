#include "bench/mix/mix_options.hpp"

#include <limits>

namespace ringmark::mix {

Parsed<MixOptions> parse_mix_options(int argc, const char* const* argv) {
  MixOptions options;
  RunFlags common(options);
  constexpr double hour_s = 3600, day_s = 86400;
  Flags flags(
      "ringmark-mix",
      "Measures what groups of ranks do to each other: each alone, then all together, in turns within one launch. "
      "Start it with mpirun, or with --ranks N.",
      version_line());
  flags.group(heading::measured);
  flags.file("mix", options.file, "the groups, as YAML: docs/guide/groups.md has an example").required();
  flags.group(heading::duration);
  flags.number("--rounds", options.rounds, 1, 10'000,
               "rounds of each group alone and all together; six for an interval");
  flags.seconds("--window", options.window, 0.001, hour_s, "how long each is measured in a round");
  flags.number("-w,--warmup", options.warmup, 0, 1'000'000, "operations before the first round");
  flags.seconds("--timeout", options.timeout, 0.1, day_s, "waiting longer than this for a peer is an error");
  flags.number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max(),
               "of the ranks that make up a share, and of the order in a round");
  common.declare_output(flags);
  common.declare_rest(flags);
  flags.examples({"mpirun -n 8 ringmark-mix mix.yaml --csv mix.csv", "ringmark-mix mix.yaml --ranks 4 --rounds 20"});
  return flags.read(options, argc, argv, [&] { common.check(flags); });
}

}  // namespace ringmark::mix
