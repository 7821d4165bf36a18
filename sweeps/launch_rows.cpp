#include "sweeps/launch_rows.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "base/append_file.hpp"
#include "base/exit_status.hpp"
#include "base/system/files.hpp"
#include "results/csv.hpp"
#include "results/failure.hpp"

namespace ringmark::sweep {
namespace {

using Seconds = std::chrono::duration<double>;

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

/// The rank that the most others name, and among equals the one that the lowest rank names: a rank that is cut off
/// takes all others for lost.
std::optional<LostRank> lost_rank_of(const std::vector<Failure>& failures) {
  const auto votes = [&failures](const Failure& named) {
    return std::count_if(failures.begin(), failures.end(), [&named](const Failure& each) {
      return each.lost && each.lost->rank == named.lost->rank && each.rank != named.lost->rank;
    });
  };
  const Failure* best = nullptr;
  for (const auto& each : failures) {
    if (!each.lost) continue;
    if (best == nullptr || votes(each) > votes(*best) || (votes(each) == votes(*best) && each.rank < best->rank))
      best = &each;
  }
  return best == nullptr ? std::nullopt : best->lost;
}

/// The end of a text that has more than so many characters.
std::string shortened(const std::string& text) {
  constexpr std::size_t most_characters = 600;
  if (text.size() <= most_characters) return text;
  auto start = text.size() - most_characters;
  const auto is_inside_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (start < text.size() && is_inside_character(text[start])) ++start;
  return "…" + text.substr(start);
}

/// The words of the first ranks that failed; without any, the end of the log.
std::string last_words(const std::vector<Failure>& failures, const std::string& log) {
  constexpr std::size_t most_failures = 5;
  if (failures.empty()) return tail_of(log);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(failures.size(), most_failures); ++i) words.push_back(in_words(failures[i]));
  return shortened(fmt::format("{}", fmt::join(words, " | ")));
}

}  // namespace

std::string failures_beside(const std::string& csv) { return csv + ".failures"; }

std::vector<std::string> words_for_files(const std::string& csv) {
  std::filesystem::remove(csv);
  std::filesystem::remove(failures_beside(csv));
  return {"--csv=" + csv, "--failures=" + failures_beside(csv)};
}

std::string tail_of(const std::string& log) {
  constexpr std::size_t most_lines = 5;
  std::ifstream file(log);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    lines.push_back(line);
    if (lines.size() > most_lines) lines.pop_front();
  }
  return shortened(fmt::format("{}", fmt::join(lines, " | ")));
}

LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned) {
  LaunchRows launch;
  std::string problem;
  launch.rows = read_rows(csv, problem);
  auto row = planned;
  const auto failures = read_failures(read_if_readable(failures_beside(csv)));
  const auto tail = last_words(failures, run.log);
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
    const auto of_part = run.deadline_of_part(ending.started_after);
    const bool is_most = run.most < ending.started_after.value_or(Seconds(0)) + of_part;
    add(Status::timeout, fmt::format("ended at its deadline of {} s{}", Seconds(is_most ? run.most : of_part).count(),
                                     run.has_started(ending.started_after) ? "" : ", before its ranks were connected"));
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
  if (!launch.failure.empty()) launch.lost_rank = lost_rank_of(failures);
  return launch;
}

}  // namespace ringmark::sweep
