// The command lines of ringmark-replay score and calibrate.
#pragma once

#include <string>

#include "base/flags/flags.hpp"

namespace ringmark::replay {

struct ScoreOptions {
  std::string table, device, json;
};

struct CalibrateOptions {
  std::string table, device, output;
};

void declare(Flags& flags, ScoreOptions& options);
void declare(Flags& flags, CalibrateOptions& options);

}  // namespace ringmark::replay
