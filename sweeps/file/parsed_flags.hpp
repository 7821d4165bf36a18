// The flags of a measuring program, as its own parser read them.
#pragma once

#include <variant>

#include "bench/flags/link_options.hpp"
#include "bench/flags/options.hpp"
#include "replay/flags/replay_options.hpp"

namespace ringmark::sweep {

struct ParsedFlags {
  std::variant<Parsed<BenchOptions>, Parsed<LinkOptions>, Parsed<replay::ReplayOptions>> of_program;
};

}  // namespace ringmark::sweep
