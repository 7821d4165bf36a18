#include "bench/mix/window.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::mix {
namespace {

constexpr auto too_late = "no operation of the mix ended within the timeout";

/// Throws TimedOut naming the rank that an unfinished host operation waits for. Returns if it has just ended.
void blame(std::span<const Part> parts, std::span<const Ticket> tickets, std::span<const Progress> progress,
           std::span<const int> times) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool has_ended = progress[i].end_us.size() == static_cast<std::size_t>(times[parts[i].group]);
    if (has_ended || parts[i].communicator->device() != nullptr) continue;
    try {
      return parts[i].communicator->wait(tickets[i], Clock::duration::zero());
    } catch (const TimedOut& error) {
      throw TimedOut(fmt::format("{}: {}", too_late, error.what()), error.is_told());
    }
  }
  throw TimedOut(too_late);
}

}  // namespace

std::vector<Progress> play(std::span<const Part> parts, std::span<const int> times, double to_common_us,
                           Clock::duration patience) {
  std::vector<Progress> all(parts.size());
  const auto now = [&] { return now_us() + to_common_us; };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    all[i].begin_us = now();
    all[i].end_us.reserve(static_cast<std::size_t>(times[parts[i].group]));
  }
  if (parts.size() == 1) {
    const auto& part = parts.front();
    for (int left = times[part.group]; left > 0; --left) {
      part.communicator->run(part.operation, part.buffers, patience);
      all.front().end_us.push_back(now());
    }
    return all;
  }
  std::vector<Ticket> tickets(parts.size());
  std::size_t running = 0;
  const auto start = [&](std::size_t i) {
    tickets[i] = parts[i].communicator->start(parts[i].operation, parts[i].buffers);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (times[parts[i].group] == 0) continue;
    start(i);
    ++running;
  }
  auto deadline = Deadline::after(patience);
  while (running > 0) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto wanted = static_cast<std::size_t>(times[parts[i].group]);
      if (all[i].end_us.size() == wanted || !parts[i].communicator->test(tickets[i])) continue;
      all[i].end_us.push_back(now());
      deadline = Deadline::after(patience);
      all[i].end_us.size() < wanted ? start(i) : static_cast<void>(--running);
    }
    if (!deadline.passed()) continue;
    blame(parts, tickets, all, times);
    deadline = Deadline::after(patience);
  }
  return all;
}

std::string pack(std::span<const Part> parts, std::span<const Progress> progress) {
  std::vector<double> values;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [begin_us, end_us] = progress[i];
    values.insert(values.end(), {static_cast<double>(parts[i].group), static_cast<double>(end_us.size()), begin_us});
    values.insert(values.end(), end_us.begin(), end_us.end());
  }
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

void unpack(std::string_view packed, std::vector<std::vector<Progress>>& by_group) {
  std::vector<double> values(packed.size() / sizeof(double));
  packed.copy(reinterpret_cast<char*>(values.data()), values.size() * sizeof(double));
  for (auto at = values.cbegin(); at != values.cend();) {
    auto& group = by_group.at(static_cast<std::size_t>(*at++));
    const auto ends = static_cast<std::ptrdiff_t>(*at++);
    const double begin_us = *at++;
    group.push_back({begin_us, {at, at + ends}});
    at += ends;
  }
}

std::vector<double> GroupTimes::within(double from_us, double to_us) const {
  std::vector<double> times;
  double before = begin_us;
  for (const double end : end_us) {
    if (before >= from_us && end <= to_us) times.push_back(end - before);
    before = end;
  }
  return times;
}

GroupTimes merge(const std::vector<Progress>& ranks) {
  GroupTimes group{-std::numeric_limits<double>::infinity(), ranks.front().end_us};
  for (const auto& rank : ranks) {
    group.begin_us = std::max(group.begin_us, rank.begin_us);
    for (std::size_t i = 0; i < rank.end_us.size(); ++i) group.end_us[i] = std::max(group.end_us[i], rank.end_us[i]);
  }
  return group;
}

std::vector<std::vector<double>> while_all_ran(const std::vector<GroupTimes>& groups) {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  for (const auto& group : groups) {
    if (group.end_us.empty()) continue;
    from = std::max(from, group.begin_us);
    to = std::min(to, group.end_us.back());
  }
  std::vector<std::vector<double>> times;
  for (const auto& group : groups) times.push_back(group.within(from, to));
  return times;
}

}  // namespace ringmark::mix
