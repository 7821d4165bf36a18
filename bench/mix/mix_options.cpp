#include "bench/mix/mix_options.hpp"

#include <limits>

namespace ringmark::mix {

Parsed<MixOptions> parse_mix_options(int argc, const char* const* argv) {
  MixOptions options;
  RunFlags common(options);
  constexpr double hour_s = 3600, day_s = 86400;
  Flags flags("ringmark-mix",
              "Measures how groups of ranks slow each other down: each alone, then all together, alternating within "
              "one launch. Start it with mpirun, or with --ranks N.",
              version_line());
  flags.group(heading::measured);
  flags.file("mix", options.file, "YAML file with the groups; docs/guide/groups.md has an example").required();
  flags.group(heading::duration);
  flags.number("--rounds", options.rounds, 1, 10'000,
               "rounds, each with every group alone and all together; intervals need six");
  flags.seconds("--window", options.window, 0.001, hour_s, "how long each part of a round is measured");
  flags.number("-w,--warmup", options.warmup, 0, 1'000'000, "operations before the first round");
  flags.seconds("--timeout", options.timeout, 0.1, day_s, "fail if a peer does not answer for this long");
  flags.number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max(),
               "seed for drawing the ranks of a share and the order within a round");
  common.declare_output(flags);
  common.declare_rest(flags);
  flags.examples({"mpirun -n 8 ringmark-mix mix.yaml --csv mix.csv", "ringmark-mix mix.yaml --ranks 4 --rounds 20"});
  return flags.read(options, argc, argv, [&] { common.check(flags); });
}

}  // namespace ringmark::mix
