// The subcommands of ringmark-analyze.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ringmark::analysis {

/// Adds a subcommand with its flags. What comes back carries it out once they are parsed, and returns the exit status.
using AddCommand = std::function<int()>(CLI::App& app);

AddCommand add_compare, add_fit, add_portability, add_stragglers, add_recommend, add_plan, add_report;

}  // namespace ringmark::analysis
