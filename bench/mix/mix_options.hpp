// The command line of ringmark-mix.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bench/flags/run_options.hpp"

namespace ringmark::mix {

struct MixOptions : RunOptions {
  std::string file;
  int rounds = 10;
  std::chrono::duration<double> window{
      0.5};                ///< how long a group is measured in a round, alone and together with the others
  std::uint64_t seed = 1;  ///< for the ranks of shares and the order within rounds
};

Parsed<MixOptions> parse_mix_options(int argc, const char* const* argv);

}  // namespace ringmark::mix
