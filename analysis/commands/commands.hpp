// The subcommands of ringmark-analyze.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ringmark::analysis {

struct Command {
  CLI::App* flags;
  std::function<int()> run;  ///< once they are parsed; returns the exit status
};

/// Adds a subcommand with its flags.
using AddCommand = Command(CLI::App& app);

AddCommand add_compare, add_fit, add_portability, add_stragglers, add_recommend, add_plan, add_report;

}  // namespace ringmark::analysis
