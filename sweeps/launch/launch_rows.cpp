#include "sweeps/launch/launch_rows.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "base/append_file.hpp"
#include "base/exit_status.hpp"
#include "base/system/files.hpp"
#include "base/text/printable.hpp"
#include "results/files/failure.hpp"
#include "results/files/result_file.hpp"

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

/// The rank that the largest number of others report as lost; in a tie, the one that the lowest rank reports. A rank
/// that is cut off reports all others as lost.
std::optional<LostProcess> lost_rank_of(const std::vector<Failure>& failures) {
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
  if (best == nullptr) return std::nullopt;
  return *best->lost;
}

/// The surviving ranks take precedence: a launcher may report a process that it ended itself. But only the launcher
/// knows the signal that ended the rank.
std::optional<LostProcess> lost_in(const std::vector<Failure>& failures, const std::string& log) {
  auto lost = lost_rank_of(failures);
  auto death = death_in(log);
  if (!lost) return failures.empty() ? std::move(death) : std::nullopt;
  if (death && death->signal && death->rank == lost->rank) {
    lost->signal = death->signal;
    lost->reason += ", " + death->reason;
  }
  return lost;
}

constexpr std::size_t most_bytes_of_words = 600;

/// The messages of the first ranks that failed; if there are none, the launcher's about the process that died, or the
/// end of the log.
std::string last_words(const std::vector<Failure>& failures, const std::optional<LostProcess>& lost,
                       const std::string& log) {
  constexpr std::size_t most_failures = 5;
  if (failures.empty()) return lost ? in_words(*lost) : tail_of(log);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(failures.size(), most_failures); ++i) words.push_back(in_words(failures[i]));
  return shortened(fmt::format("{}", fmt::join(words, " | ")), most_bytes_of_words);
}

}  // namespace

std::string words_of_failure(const std::vector<Record>& rows) {
  const auto row = std::find_if(rows.rbegin(), rows.rend(),
                                [](const Record& each) { return is_failure(each.status) && !each.detail.empty(); });
  return row == rows.rend() ? "" : row->detail;
}

std::string failures_beside(const std::string& csv) { return csv + ".failures"; }

std::vector<std::string> words_for_files(const std::string& csv) {
  std::filesystem::remove(csv);
  std::filesystem::remove(failures_beside(csv));
  return {"--csv=" + csv, "--failures=" + failures_beside(csv)};
}

std::string tail_of(const std::string& log) {
  constexpr std::size_t most_lines = 5;
  std::istringstream text(read_if_readable(log));
  std::deque<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    lines.push_back(line);
    if (lines.size() > most_lines) lines.pop_front();
  }
  return shortened(without_controls(fmt::format("{}", fmt::join(lines, " | "))), most_bytes_of_words);
}

LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned) {
  LaunchRows launch;
  std::string problem;
  launch.rows = read_rows(csv, problem);
  auto row = planned;
  const auto failures = read_failures(read_if_readable(failures_beside(csv)));
  const auto lost = lost_in(failures, read_if_readable(run.log));
  const auto with_words = [](const std::string& ending, const std::string& words) {
    return words.empty() ? ending : fmt::format("{}: {}", ending, words);
  };
  const auto add = [&](Status status, const std::string& failure) {
    row.status = status;
    launch.failure = failure;
    launch.account = with_words(failure, last_words(failures, lost, run.log));
    row.detail = launch.account;
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
    launch.account = with_words(launch.failure, words_of_failure(launch.rows));
  } else if (!is_explained) {
    add(Status::failed, describe_ending(ending.raw_status));
  } else if (launch.rows.empty()) {
    add(Status::failed, "left no rows");
    launch.rows.back().detail =
        fmt::format("{} in {}: the first rank must see the same folder as this machine", row.detail, csv);
  }
  launch.status = worst_of(launch.rows);
  if (!launch.failure.empty() && lost) {
    launch.lost_rank = lost;
    launch.failure = "lost " + place_in_words(*lost);
  }
  return launch;
}

}  // namespace ringmark::sweep
