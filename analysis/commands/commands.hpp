// The subcommands of ringmark-analyze.
#pragma once

#include <memory>

#include "base/flags/flags.hpp"

namespace ringmark::analysis {

/// A subcommand with the values that its flags set. `flags` refers to them, so it is neither copied nor moved.
class Command {
 public:
  explicit Command(Flags& declared) : flags(declared) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds the problems that several flags have together.
  virtual void check_flags() {}
  /// Returns the exit status.
  virtual int run() const = 0;

  Flags& flags;
};

/// Declares a subcommand and its flags.
using AddCommand = std::unique_ptr<Command>(Flags& program);

AddCommand add_compare, add_fit, add_job, add_portability, add_stragglers, add_recommend, add_plan, add_report;

}  // namespace ringmark::analysis
