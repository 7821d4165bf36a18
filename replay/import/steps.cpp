#include "replay/import/steps.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {
namespace {

/// Calls use(length, period) for each suffix of the recording, with its length and the number of calls after which it
/// repeats.
void for_each_period(const std::vector<Call>& calls, const std::function<void(std::size_t, std::size_t)>& use) {
  const auto size = calls.size();
  const auto from_end = [&](std::size_t i) -> const Call& { return calls[size - 1 - i]; };
  // Borders of all prefixes of the reversed calls (Knuth, Morris and Pratt): a prefix of length L with longest border B
  // repeats every L - B calls.
  std::vector<std::size_t> border(size);
  for (std::size_t i = 1, b = 0; i < size; ++i) {
    while (b > 0 && !is_same_call(from_end(i), from_end(b))) b = border[b - 1];
    if (is_same_call(from_end(i), from_end(b))) ++b;
    border[i] = b;
    use(i + 1, i + 1 - b);
  }
}

void keep(Imported& imported, const Round& round) {
  auto& calls = imported.calls;
  const auto at = [&](std::size_t i) { return calls.begin() + static_cast<std::ptrdiff_t>(i); };
  calls = std::vector<Call>(at(round.begin), at(round.end));
}

/// True if the recording consists of these rounds only.
bool are_all(const Round& round) { return round.begin == (round.rounds - 1) * (round.end - round.begin); }

/// The computation before a step's first call includes the end of the previous step, except in a recording's first
/// step.
void keep_last_step(Imported& imported, const Round& round) {
  const auto first_us = imported.calls.front().computed_us;
  keep(imported, round);
  if (are_all(round) && first_us > 0) imported.calls.front().computed_us = first_us;
  imported.remarks.push_back(
      fmt::format("has {} steps of the same {} calls; the last one is taken", round.rounds, imported.calls.size()));
}

/// Keeps the last marked step that has calls, if possible one whose calls could all be read.
void keep_last_marked_step(Imported& imported) {
  std::map<int, std::vector<Call>> steps;
  for (const auto& call : imported.calls) steps[call.step].push_back(call);
  const auto is_unread = [&](const auto& step) { return imported.unread_steps.contains(step.first); };
  if (!std::all_of(steps.begin(), steps.end(), is_unread)) {
    if (const auto count = std::erase_if(steps, is_unread); count > 0) {
      imported.remarks.push_back(fmt::format("leaves out {} steps with a call whose size is missing", count));
      if (steps.size() == 1) imported.calls = steps.begin()->second;
    }
  }
  const auto& last = steps.rbegin()->second;
  const auto is_same = [&](const auto& each) {
    return std::equal(each.second.begin(), each.second.end(), last.begin(), last.end(), is_same_call);
  };
  const bool are_same = std::all_of(steps.begin(), steps.end(), is_same);
  const auto first_us = imported.calls.front().computed_us;
  if (steps.size() == 1) return;
  imported.calls = last;
  if (are_same) {
    if (first_us > 0) imported.calls.front().computed_us = first_us;
    imported.remarks.push_back(
        fmt::format("has {} steps of the same {} calls; the last one is taken", steps.size(), imported.calls.size()));
  } else {
    std::vector<std::string> counts;
    for (const auto& [number, calls] : steps) counts.push_back(fmt::format("#{} {}", number, calls.size()));
    imported.remarks.push_back(
        fmt::format("has {} steps with different calls ({}); the last one is taken (--steps 1 takes all calls as one "
                    "step)",
                    steps.size(), fmt::join(counts, ", ")));
  }
}

}  // namespace

std::optional<Round> last_round(const std::vector<Call>& calls, StepEnd step_end) {
  const auto size = calls.size();
  std::size_t period = 0, covered = 0;
  for_each_period(calls, [&](std::size_t length, std::size_t step) {
    constexpr std::size_t least_rounds = 3;
    if (length >= least_rounds * step && length > covered) period = step, covered = length;
  });
  if (period == 0) return std::nullopt;
  if (step_end == StepEnd::of_the_recording) return Round{size - period, size, covered / period};
  // Medians over the rounds: a first step waits wherever something is compiled or allocated.
  std::vector<std::vector<double>> pauses(period);
  for (std::size_t i = size - covered; i < size; ++i) pauses[(size - i) % period].push_back(calls[i].computed_us);
  std::vector<double> medians;
  for (auto& each : pauses) medians.push_back(median(each));
  const auto longest = static_cast<std::size_t>(std::max_element(medians.begin(), medians.end()) - medians.begin());
  const auto end = size - longest;
  return Round{end - period, end, covered / period};
}

std::optional<Round> last_of_rounds(const std::vector<Call>& calls, std::size_t rounds) {
  const auto size = calls.size();
  std::size_t longest = rounds == 1 ? size : 0;
  for_each_period(calls, [&](std::size_t length, std::size_t period) {
    longest = std::max(longest, length / rounds / period * period);
  });
  return longest == 0 ? std::nullopt : std::optional(Round{size - longest, size, rounds});
}

void keep_one_step(const std::string& file, Imported& imported, std::optional<int> steps, StepEnd end) {
  if (steps) {
    const auto round = last_of_rounds(imported.calls, static_cast<std::size_t>(*steps));
    if (!round)
      throw BadUsage(Problem{.flag = "--steps",
                             .value = std::to_string(*steps),
                             .text = fmt::format("the {} calls of {} do not end in that many identical steps",
                                                 imported.calls.size(), file)});
    if (*steps > 1) keep_last_step(imported, *round);
  } else if (imported.marked_steps > 0) {
    keep_last_marked_step(imported);
  } else if (const auto round = last_round(imported.calls, end)) {
    const auto calls = round->end - round->begin;
    if (imported.is_of_a_run) {
      keep(imported, *round);
      imported.remarks.push_back(
          fmt::format("has {} rounds of the same {} calls; the last whole round is taken as the step "
                      "(give --steps N if a step has several rounds; --steps 1 takes all calls as one step)",
                      round->rounds, calls));
    } else if (calls > 1) {
      imported.remarks.push_back(fmt::format(
          "has {0} rounds of the same {1} calls; if these are steps, give --steps {0}", round->rounds, calls));
    }
  }
}

}  // namespace ringmark::replay
