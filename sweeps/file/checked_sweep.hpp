// A sweep that was read and found valid.
#pragma once

#include <string>

#include "sweeps/file/overrides.hpp"
#include "sweeps/file/plan.hpp"

namespace ringmark::sweep {

/// Who named the hosts; if nobody did, the launcher chooses them.
struct HostsOrigin {
  enum class Kind { launcher, sweep_file, command_line, allocation, nodes };
  Kind kind = Kind::launcher;
  std::string source;  ///< for people and the manifest: "slurm", "sweep file", "command line", "launcher"
  std::string from;    ///< the variable, the flag or the file
};

struct CheckedSweep {
  Sweep sweep;
  Plan plan;
  std::string text;
  HostsOrigin hosts_origin;
};

enum class Purpose { run, tune };

/// Throws BadUsage with every problem of the file, in line order. `name` is the path of the text, for messages and for
/// finding files next to it.
CheckedSweep check_sweep(const std::string& text, const std::string& name, const Overrides& overrides = {},
                         Purpose purpose = Purpose::run);
CheckedSweep read_and_check(const std::string& path, const Overrides& overrides = {}, Purpose purpose = Purpose::run);

/// Throws BadUsage if it cannot be read.
std::string content_of(const std::string& path);

}  // namespace ringmark::sweep
