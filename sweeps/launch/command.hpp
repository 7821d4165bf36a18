// The command line and environment of one launch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/file/plan.hpp"

namespace ringmark::sweep {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, Value> environment;  ///< changes to the runner's environment
};

/// A setting together with the sweep's fixed values.
struct Resolved {
  Program program;
  int ranks;
  int ranks_per_node;
  std::map<std::string, Value> flags;     ///< including the fixed ones
  std::map<std::string, Value> settings;  ///< for --set
  std::map<std::string, Value> environment;
  std::vector<std::string> labels{};
};
int nodes_of(const Resolved& resolved);
/// The number of ranks on the node that has the most.
int ranks_on_a_node(const Resolved& resolved);
/// True if the launcher is given the number of ranks per node; otherwise it decides itself.
bool says_ranks_per_node(const Sweep& sweep);
/// The hosts that the launcher is told to use; empty if it finds them itself.
std::vector<std::string> hosts_of(const Sweep& sweep, const Resolved& resolved);
/// The host of each rank; empty if those hosts have no room for all ranks, so that the launcher decides.
std::vector<std::string> hosts_of_ranks(const Sweep& sweep, const Resolved& resolved);
Resolved resolve(const Sweep& sweep, const Setting& setting);

/// Flags, then --set, each in alphabetical order.
std::vector<std::string> flags_of(const Resolved& resolved);
/// The path of the program's executable, then its subcommand if it has one, then its flags.
std::vector<std::string> program_words(const Resolved& resolved);

/// Starts `program` on every rank, with exactly the resolved environment, whatever the launcher forwards. The ranks
/// read it from the file. Without a file it is part of the command line, which people can copy but every user on the
/// hosts can see.
Command launch_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
                       const std::optional<std::string>& environment_file = {});

/// Starts one process on every node, to check that all nodes can be reached and to collect their facts.
/// Their environment is the sweep's fixed one.
Command node_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
                     const std::optional<std::string>& environment_file = {});

}  // namespace ringmark::sweep
