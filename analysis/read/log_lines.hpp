// Lines of a log as the tool wrote them: without the prefixes of launchers and loggers, and without colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::analysis {

struct LogLine {
  std::string text;         ///< without blanks at its end
  std::size_t number;       ///< from 1
  std::string origin = "";  ///< the rank, host or pod that its prefix names; empty if none does
};

/// The text in a line of a container's log: {"log":"…\n","stream":"stdout"}, {"level":"info","message":"…"}.
std::optional<std::string> text_of_json_line(std::string_view line);

/// Removes any number of tags of mpirun and srun, time stamps, names of hosts and pods, levels of loggers, colours, and
/// the JSON of container logs. `origin` is the first name or rank. Returns several parts if a row is interrupted by
/// parts of other ranks or by a message of NCCL.
std::vector<LogLine> parts_of_line(std::string_view line, std::size_t number);

/// The lines of a text. If several ranks or hosts printed tables at the same time, each one's lines are grouped
/// together. If every line occurs twice, each is returned once.
std::vector<LogLine> log_lines(std::string_view text);

/// The line without blanks and number signs at its beginning, which web pages may drop.
std::string_view without_hash(std::string_view line);
/// True for "# OSU MPI Allreduce Latency Test v7.4" and for "# Benchmarking Allreduce".
bool is_title_of_osu(std::string_view line);
bool is_title_of_imb(std::string_view line);
/// True for a line that begins a table of nccl-tests, OSU, IMB or perftest.
bool begins_table(std::string_view line);

}  // namespace ringmark::analysis
