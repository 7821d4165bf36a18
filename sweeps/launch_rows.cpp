#include "sweeps/launch_rows.hpp"

#include <algorithm>
#include <deque>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "base/append_file.hpp"
#include "base/exit_status.hpp"
#include "base/system/files.hpp"
#include "results/csv.hpp"

namespace ringmark::sweep {
namespace {

Status worst_of(const std::vector<Record>& rows) {
  auto worst = Status::ok;
  for (const auto& row : rows) worst = std::max(worst, row.status);
  return worst;
}

std::string describe_ending(int raw_status) {
  if (WIFSIGNALED(raw_status)) return fmt::format("killed by signal {}", WTERMSIG(raw_status));
  return fmt::format("exit status {}", WEXITSTATUS(raw_status));
}

std::vector<Record> read_rows(const std::string& path, std::string& problem) {
  try {
    return read_records(whole_lines(read_if_readable(path)));
  } catch (const CsvError& error) {
    problem = fmt::format("its table cannot be read: {}", error.what());
    return {};
  }
}

std::optional<LostRank> lost_rank_of(const std::vector<Record>& rows, const std::string& log) {
  for (const auto& row : rows) {
    if (auto lost = find_lost_rank(row.detail.text())) return lost;
  }
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (auto lost = find_lost_rank(line)) return lost;
  }
  return std::nullopt;
}

}  // namespace

std::string tail_of(const std::string& log) {
  constexpr std::size_t most_lines = 5, most_characters = 600;
  std::ifstream file(log);
  std::deque<std::string> lines;
  std::deque<std::string> errors;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    auto& to = line.find("ringmark") != std::string::npos ? errors : lines;
    to.push_back(line);
    if (to.size() > most_lines) to.pop_front();
  }
  // The program's own messages take precedence over its launcher's.
  const auto text = fmt::format("{}", fmt::join(errors.empty() ? lines : errors, " | "));
  if (text.size() <= most_characters) return text;
  auto start = text.size() - most_characters;
  const auto is_inside_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (start < text.size() && is_inside_character(text[start])) ++start;
  return "…" + text.substr(start);
}

LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned) {
  LaunchRows launch;
  std::string problem;
  launch.rows = read_rows(csv, problem);
  auto row = planned;
  const auto tail = tail_of(run.log);
  const auto add = [&](Status status, const std::string& failure) {
    row.status = status;
    launch.failure = failure;
    row.detail = tail.empty() ? failure : fmt::format("{}: {}", failure, tail);
    launch.rows.push_back(row);
  };
  const int status = WIFEXITED(ending.raw_status) ? WEXITSTATUS(ending.raw_status) : -1;
  const auto worst = worst_of(launch.rows);
  // An exit status needs no row of its own if the program's rows explain it.
  const bool is_explained = status == exit_ok || (status == exit_wrong && is_not_as_asked(worst)) ||
                            (status == exit_unusable && worst == Status::unsupported);
  if (ending.past_deadline) {
    add(Status::timeout,
        fmt::format("ended at its deadline of {} s", static_cast<double>(run.deadline.count()) / 1000));
  } else if (!problem.empty()) {
    add(Status::failed, problem);
  } else if (status == exit_unusable && launch.rows.empty()) {
    add(Status::unsupported, describe_ending(ending.raw_status));
    launch.failure.clear();
  } else if (is_failure(worst)) {
    launch.failure = describe_ending(ending.raw_status);
  } else if (!is_explained) {
    add(Status::failed, describe_ending(ending.raw_status));
  } else if (launch.rows.empty()) {
    add(Status::failed, "left no rows");
    launch.rows.back().detail =
        fmt::format("{} in {}: the first rank must see the same folder as this machine", row.detail.text(), csv);
  }
  launch.status = worst_of(launch.rows);
  if (!launch.failure.empty()) launch.lost_rank = lost_rank_of(launch.rows, run.log);
  return launch;
}

}  // namespace ringmark::sweep
