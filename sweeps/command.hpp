// The command line and environment of one launch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, Value> environment;  ///< what differs from the runner's own
};

/// A setting, with what the sweep fixes.
struct Resolved {
  std::string program;
  int ranks;
  int ranks_per_node;
  std::map<std::string, Value> flags;     ///< with the fixed ones
  std::map<std::string, Value> settings;  ///< for --set
  std::map<std::string, Value> environment;
};
int nodes_of(const Resolved& resolved);
Resolved resolve(const Sweep& sweep, const Setting& setting);

/// Flags, then --set, each in alphabetical order.
std::vector<std::string> flags_of(const Resolved& resolved);
/// The program's own words: a subcommand if it has them, then its flags.
std::vector<std::string> program_arguments(const Resolved& resolved);

/// `program` is started on every rank, with exactly the resolved environment whatever the launcher passes on.
Command launch_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program);

/// One process on every node, to see that all can be reached and what they are.
Command node_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program);

}  // namespace ringmark::sweep
