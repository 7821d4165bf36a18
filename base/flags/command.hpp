// The subcommands of a program, each with its flags and its work.
#pragma once

#include <memory>
#include <span>

#include "base/flags/flags.hpp"

namespace ringmark {

/// A subcommand with the values that its flags set. `flags` refers to them, so it is neither copied nor moved.
class Command {
 public:
  explicit Command(Flags& declared) : flags(declared) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds problems that depend on several flags.
  virtual void check_flags() {}
  /// Returns the exit status.
  virtual int run() const = 0;

  Flags& flags;
};

/// Declares a subcommand and its flags.
using AddCommand = std::unique_ptr<Command>(Flags& program);

/// Declares all subcommands, reads the command line, and runs the chosen one. Returns the exit status.
int run_command(Flags& program, std::span<AddCommand* const> commands, int argc, const char* const* argv);

}  // namespace ringmark
