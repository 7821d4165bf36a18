// Lines of a log as the tool wrote them: without the prefixes of launchers and loggers, and without colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::analysis {

struct LogLine {
  std::string text;         ///< without blanks at its end
  std::size_t number;       ///< from 1
  std::string origin = "";  ///< the rank, host or pod that its prefix names; empty if none does
};

/// Takes off, any number of times: tags of mpirun and srun, time stamps, names of hosts and pods, levels of loggers,
/// colours, and the JSON of Docker's log. `origin` gets the first name or rank.
std::string without_prefixes(std::string_view line, std::string& origin);

/// The lines of a text. Where several ranks or hosts printed tables at the same time, each one's lines follow one
/// another.
std::vector<LogLine> log_lines(std::string_view text);

/// True for a line that begins a table of nccl-tests, OSU, IMB or perftest.
bool begins_table(std::string_view line);

}  // namespace ringmark::analysis
