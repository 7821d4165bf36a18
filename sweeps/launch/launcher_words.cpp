#include "sweeps/launch/launcher_words.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/exit_status.hpp"

namespace ringmark::sweep {
namespace {

using Lines = std::vector<std::string_view>;

/// The text that matches each {} of the pattern, which may begin anywhere in the line. Empty if it does not match.
std::vector<std::string_view> match(std::string_view line, std::string_view pattern) {
  constexpr std::string_view place = "{}";
  std::vector<std::string_view> found;
  const auto first = pattern.substr(0, pattern.find(place));
  const auto begin = line.find(first);
  if (begin == std::string_view::npos) return {};
  auto rest = line.substr(begin + first.size());
  pattern.remove_prefix(first.size());
  while (pattern.starts_with(place)) {
    pattern.remove_prefix(place.size());
    const auto next = pattern.substr(0, pattern.find(place));
    const auto end = next.empty() ? rest.size() : rest.find(next);
    if (end == std::string_view::npos) return {};
    found.push_back(rest.substr(0, end));
    rest.remove_prefix(end + next.size());
    pattern.remove_prefix(next.size());
  }
  return found;
}

/// The number with which a text begins.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// match() for the first of the next few lines that matches.
std::vector<std::string_view> match_below(const Lines& lines, std::size_t at, std::string_view pattern) {
  constexpr std::size_t most_lines = 10;
  for (std::size_t i = at + 1; i < std::min(lines.size(), at + most_lines); ++i) {
    if (auto found = match(lines[i], pattern); !found.empty()) return found;
  }
  return {};
}

/// A LostProcess without a reason: it exited by itself, with a status.
LostProcess process_on(std::string_view host, std::optional<int> rank) {
  LostProcess process;
  process.host = host;
  process.rank = rank;
  return process;
}

LostProcess killed(LostProcess process, std::optional<int> signal) {
  const char* description = signal ? ::strsignal(*signal) : nullptr;
  process.signal = signal;
  process.reason =
      signal ? fmt::format("killed by signal {} ({})", *signal, description == nullptr ? "unknown" : description)
             : "killed by a signal";
  return process;
}

/// The banner of MPICH or Intel MPI. Its code is a signal unless our programs use it as an exit status. If several
/// processes on the host died, it may show a later one; the signal in the last line is that of the first.
std::optional<LostProcess> in_hydra(const Lines& lines, std::size_t at) {
  const auto place = match(lines[at], "PID {} RUNNING AT {}");
  if (place.empty()) return std::nullopt;
  const auto rank = match(lines[at], " RANK {} PID ");
  const auto process = process_on(place[1], rank.empty() ? std::nullopt : number(rank[0]));
  for (const auto* pattern : {"KILLED BY SIGNAL: {}", "(signal {})"}) {
    if (const auto signal = match_below(lines, at, pattern); !signal.empty()) return killed(process, number(signal[0]));
  }
  const auto code = match_below(lines, at, "EXIT CODE: {}");
  const auto status = code.empty() ? std::nullopt : number(code[0]);
  return status && *status > exit_undecided && *status < SIGRTMIN ? killed(process, status) : process;
}

std::optional<LostProcess> in_open_mpi(const Lines& lines, std::size_t at) {
  if (lines[at].find("one or more processes exited with non-zero status") != std::string_view::npos)
    return LostProcess();
  const auto found = match(lines[at], "noticed that process rank {} with PID {} on node {} exited on signal {}");
  if (found.empty()) return std::nullopt;
  return killed(process_on(found[2], number(found[0])), number(found[3]));
}

/// "srun: error: node3: task 3: Killed", or for several tasks: "tasks 3,5-7".
std::optional<LostProcess> in_srun(const Lines& lines, std::size_t at) {
  const auto one = match(lines[at], "srun: error: {}: task {}: {}");
  const auto several = match(lines[at], "srun: error: {}: tasks {}: {}");
  const auto& found = one.empty() ? several : one;
  if (found.empty()) return std::nullopt;
  auto process = process_on(found[0], one.empty() ? std::nullopt : number(one[1]));
  const auto how = found[2];
  if (how.starts_with("Exited with exit code")) return process;
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* description = ::strsignal(signal);
    if (description != nullptr && how.starts_with(description)) return killed(process, signal);
  }
  process.reason = how;  // "Out Of Memory"
  return process;
}

std::optional<LostProcess> in_torchrun(const Lines& lines, std::size_t at) {
  if (lines[at].find("Root Cause (first observed failure)") == std::string_view::npos) return std::nullopt;
  const auto value_of = [&](std::string_view key) {
    const auto found = match_below(lines, at, key);
    return found.empty() ? std::string_view() : found[0];
  };
  const auto process = process_on(value_of(" host      : {}"), number(value_of(" rank      : {}")));
  const auto code = number(value_of(" exitcode  : {}")).value_or(0);
  return code < 0 ? killed(process, -code) : process;
}

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \r") + 1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string place_in_words(const LostProcess& lost) {
  return lost.rank ? fmt::format("rank {} on {}", *lost.rank, lost.host) : fmt::format("a rank on {}", lost.host);
}

std::string in_words(const LostProcess& lost) { return fmt::format("lost {}: {}", place_in_words(lost), lost.reason); }

std::optional<LostProcess> death_in(std::string_view log) {
  const auto lines = lines_of(log);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    for (const auto& reader : {in_hydra, in_open_mpi, in_srun, in_torchrun}) {
      if (auto process = reader(lines, at)) return process->reason.empty() ? std::nullopt : std::move(process);
    }
  }
  return std::nullopt;
}

}  // namespace ringmark::sweep
