// A sweep as values: what to start, what to vary, how often. docs/guide/sweeps.md describes its file.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/file/program.hpp"

namespace ringmark::sweep {

/// nullopt means `unset`: the flag is not given, or the variable is not in the environment.
using Value = std::optional<std::string>;

std::string to_text(const Value& value);

enum class Target { program, ranks, ranks_per_node, flag, setting, environment };

/// The target that a name implies: `program`, `ranks` and `ranks_per_node` stand for themselves, `tcp.sockets` is an
/// option for --set, NCCL_ALGO an environment variable, anything else a long flag.
Target target_of(const std::string& name);

struct Variable {
  std::string name;
  Target target = Target::flag;
  std::vector<Value> values;
  bool ordered = false;  ///< values are numbers or sizes, so neighbouring ones behave alike
  int line = 0;
  std::vector<int> value_lines;
};

/// With `none`, and with `torchrun` on several nodes, another system has started ringmark-sweep on every node.
enum class LauncherKind { mpich, open_mpi, srun, slurm, torchrun, none, local, custom };

struct Launcher {
  LauncherKind kind = LauncherKind::mpich;
  std::vector<std::string> command;    ///< the launcher's program, or for custom the whole template
  std::vector<std::string> arguments;  ///< more arguments, such as pinning
  std::string pmi = "none";            ///< for slurm: how srun's ranks find each other (find_pmi)
};

/// Excludes a point if every variable named here has one of its listed values.
using Exclusion = std::map<std::string, std::vector<Value>>;

enum class Search { grid, random, bayesian, halving };

/// The objective that `tune` minimises: the sum over sizes of weight times the column's value at that size.
struct Objective {
  std::map<std::uint64_t, double> weights;  ///< size in bytes → weight; empty: the mean over all sizes
  std::string column = "time_us_p50";
};

struct Tuning {
  Search search = Search::bayesian;
  Objective objective;
  int budget_launches = 50;
  std::optional<std::chrono::milliseconds> budget_time;
  int verify_launches = 10;  ///< each for the winner and the default; 0: the search alone decides
  int line = 0;
};

struct Sweep {
  std::string question;
  std::vector<Program> programs;  ///< if several, they also form a variable
  Launcher launcher;
  int ranks = 2;
  std::optional<int> ranks_per_node;
  std::vector<std::string> labels;  ///< KEY=VALUE, of the command line
  std::vector<std::string> hosts;
  std::map<std::string, Value> arguments;    ///< flags and transport options that do not vary
  std::map<std::string, Value> environment;  ///< variables that do not vary
  std::vector<Variable> variables;
  std::vector<std::vector<std::string>> zips;
  std::vector<Exclusion> exclusions;
  int repetitions = 1;
  bool random_order = true;
  std::uint64_t seed = 1;
  std::chrono::milliseconds deadline{600'000};
  std::chrono::milliseconds grace{5'000};
  Tuning tuning;
  std::map<std::string, int> lines;  ///< line numbers of the fixed arguments and the file's keys
};

}  // namespace ringmark::sweep
