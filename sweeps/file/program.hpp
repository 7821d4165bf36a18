// The measuring programs that a sweep can start. A new one is a row of the table in program.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/operation.hpp"
#include "results/schema/workload.hpp"

namespace ringmark::sweep {

enum class Program {
  all_reduce,
  reduce_scatter,
  all_gather,
  reduce,
  broadcast,
  all_to_all,
  gather,
  scatter,
  send_recv,
  link,
  replay
};

struct ParsedFlags;

struct ProgramFacts {
  Program program;
  std::string_view name;  ///< in a sweep file
  std::string_view executable;
  std::string_view subcommand;           ///< the one that measures; empty if the program has no subcommands
  std::optional<Collective> collective;  ///< none if the program measures something else
  Schema schema;                         ///< of the rows that it writes
  bool writes_samples;
  /// The program's own parser. `ranks` is the number of ranks that the launcher starts.
  ParsedFlags (*parse)(int argc, const char* const* argv, int ranks);
};

std::span<const ProgramFacts> all_programs();
const ProgramFacts& facts_of(Program program);
std::string_view name(Program program);
std::optional<Program> parse_program(std::string_view name);

/// The path of an executable in the folder of this process's own.
std::string path_of(std::string_view executable);

}  // namespace ringmark::sweep
