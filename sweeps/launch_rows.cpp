#include "sweeps/launch_rows.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>

#include <fmt/chrono.h>
#include <sys/wait.h>

#include "results/append_file.hpp"
#include "results/csv.hpp"
#include "results/provenance.hpp"
#include "transports/exit_status.hpp"
#include "transports/system/files.hpp"

namespace ringmark::sweep {
namespace {

/// From the best to the worst.
constexpr std::array<std::string_view, 7> statuses{"ok",    "unsupported", "ignored", "bypassed",
                                                   "wrong", "failed",      "timeout"};

std::string worst_of(const std::vector<Record>& rows) {
  std::size_t worst = 0;
  for (const auto& row : rows) {
    const auto at = std::find(statuses.begin(), statuses.end(), row.status) - statuses.begin();
    worst = std::max(worst, std::min(static_cast<std::size_t>(at), statuses.size() - 1));
  }
  return std::string(statuses[worst]);
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
  // What the program itself says comes before what its launcher makes of it.
  const auto text = fmt::format("{}", fmt::join(errors.empty() ? lines : errors, " | "));
  if (text.size() <= most_characters) return text;
  auto start = text.size() - most_characters;
  const auto is_inside_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (start < text.size() && is_inside_character(text[start])) ++start;
  return "…" + text.substr(start);
}

Record blank_row(const Resolved& resolved, const std::string& run_id, int repetition) {
  const auto flag = [&](const std::string& name, const std::string& otherwise) {
    const auto found = resolved.flags.find(name);
    return found == resolved.flags.end() ? otherwise : found->second.value_or(otherwise);
  };
  Record row;
  row.run_id = run_id;
  row.time_utc = now_utc();
  row.transport = flag("transport", "tcp");
  if (resolved.program == "link") {
    row.schema = "link/1";
  } else if (resolved.program == "replay") {
    row.schema = "replay/1";
    row.algorithm = flag("algorithm", "auto");
    row.collective = "training_step";
    row.timing = "each";
  } else {
    row.algorithm = flag("algorithm", "auto");
    row.collective = resolved.program;
    std::replace(row.collective.begin(), row.collective.end(), '-', '_');
    row.timing = flag("timing", "each");
  }
  row.datatype = flag("datatype", "");
  row.op = flag("op", "");
  row.ranks = resolved.ranks;
  row.repetition = repetition;
  for (const auto& [name, value] : resolved.settings) {
    if (value) row.settings[name] = *value;
  }
  return row;
}

LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& blank) {
  LaunchRows launch;
  std::string problem;
  launch.rows = read_rows(csv, problem);
  auto row = blank;
  const auto tail = tail_of(run.log);
  const auto add = [&](const std::string& status, const std::string& failure) {
    row.status = status;
    launch.failure = failure;
    row.detail = tail.empty() ? failure : fmt::format("{}: {}", failure, tail);
    launch.rows.push_back(row);
  };
  const int status = WIFEXITED(ending.raw_status) ? WEXITSTATUS(ending.raw_status) : -1;
  const auto worst = worst_of(launch.rows);
  const bool says_how_it_failed = worst == "failed" || worst == "timeout";
  // The program's own statuses, where its rows say the same.
  const bool is_explained = status == exit_ok || (status == exit_wrong && (worst == "wrong" || worst == "bypassed")) ||
                            (status == exit_unusable && worst == "unsupported");
  if (ending.past_deadline) {
    add("timeout", fmt::format("ended at its deadline of {} s", static_cast<double>(run.deadline.count()) / 1000));
  } else if (!problem.empty()) {
    add("failed", problem);
  } else if (status == exit_unusable && launch.rows.empty()) {
    add("unsupported", describe_ending(ending.raw_status));
    launch.failure.clear();
  } else if (says_how_it_failed) {
    launch.failure = describe_ending(ending.raw_status);
  } else if (!is_explained) {
    add("failed", describe_ending(ending.raw_status));
  } else if (launch.rows.empty()) {
    add("failed", "left no rows");
    launch.rows.back().detail += fmt::format(" in {}: the first rank must see the same folder as this machine", csv);
  }
  launch.status = worst_of(launch.rows);
  return launch;
}

}  // namespace ringmark::sweep
