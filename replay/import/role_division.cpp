#include "replay/import/role_division.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/text/number_ranges.hpp"
#include "replay/trace/message_lines.hpp"

namespace ringmark::replay {
namespace {

using Calls = std::vector<Event>;

/// For each list, the number of the first list that equals it.
std::vector<std::size_t> kinds_of(const std::vector<Calls>& lists) {
  std::vector<std::size_t> kinds;
  for (const auto& each : lists)
    kinds.push_back(static_cast<std::size_t>(std::find(lists.begin(), lists.end(), each) - lists.begin()));
  return kinds;
}

Calls collectives_of(const Calls& calls, std::size_t group) {
  Calls result;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(result),
               [&](const Event& event) { return event.group == static_cast<int>(group) && !is_message(event); });
  return result;
}

/// The roles' calls, as far as lines of messages depend on them.
RoleTrace messages_of(const Division& division, const std::vector<Calls>& of_role, const RecordedRanks& recorded) {
  RoleTrace trace;
  trace.ranks = recorded.ranks;
  trace.groups = recorded.groups;
  trace.role_stride = division.stride;
  for (int role = 0; role < division.roles; ++role) {
    trace.roles.push_back({division.name_of(role, recorded.ranks), {{role, {}}}, {}});
    trace.passes.push_back({"", {}, of_role[static_cast<std::size_t>(role)]});
  }
  return trace;
}

/// Empty if the members of each group make the same calls in it.
std::string problem_of_groups(const Division& division, const std::vector<Calls>& of_role,
                              const RecordedRanks& recorded) {
  for (std::size_t number = 0; number < recorded.groups.size(); ++number) {
    const auto& group = recorded.groups[number];
    std::vector<Calls> calls;
    for (const auto& each : of_role) calls.push_back(collectives_of(each, number));
    const auto kinds = kinds_of(calls);
    const auto role_of = [&](int rank) { return static_cast<std::size_t>(division.role_of(rank)); };
    for (int rank = 0; rank < recorded.ranks; ++rank) {
      if (calls[role_of(rank)].empty()) continue;
      const auto problem_with = [&](int other) {
        return fmt::format("rank {} makes calls in group {} that rank {} does not make", rank, group.name, other);
      };
      const int first = group.first_member(rank);
      if (kinds[role_of(first)] != kinds[role_of(rank)]) return problem_with(first);
      if (rank != first) continue;
      if (const int last = group.members(first).back(); last >= recorded.ranks) return problem_with(last);
    }
  }
  return "";
}

/// What is wrong with the division; empty if it is valid.
std::string problem_of(const Division& division, const std::vector<Calls>& calls, const RecordedRanks& recorded) {
  std::vector<Calls> of_role;
  for (int role = 0; role < division.roles; ++role)
    of_role.push_back(calls[division.first_of(role, recorded.of_ranks)]);
  if (auto problem = problem_of_groups(division, of_role, recorded); !problem.empty()) return problem;
  try {
    lines_of(messages_of(division, of_role, recorded));
    return "";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

/// True if recordings of one role are of one kind, and each role was recorded.
bool fits(const Division& division, const std::vector<std::size_t>& kinds, const std::vector<int>& of_ranks) {
  std::map<int, std::size_t> of_role;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto [known, is_new] = of_role.try_emplace(division.role_of(of_ranks[i]), kinds[i]);
    if (!is_new && known->second != kinds[i]) return false;
  }
  return static_cast<int>(of_role.size()) == division.roles;
}

}  // namespace

std::size_t Division::first_of(int role, const std::vector<int>& of_ranks) const {
  const auto is_of_it = [&](int rank) { return role_of(rank) == role; };
  return static_cast<std::size_t>(std::find_if(of_ranks.begin(), of_ranks.end(), is_of_it) - of_ranks.begin());
}

std::string Division::name_of(int role, int ranks) const {
  std::vector<int> of_role;
  for (int rank = 0; rank < ranks; ++rank) {
    if (role_of(rank) == role) of_role.push_back(rank);
  }
  const auto parts = number_ranges(of_role);
  constexpr std::size_t most_parts = 6;
  const auto words = parts.size() > most_parts ? fmt::format("{}, {}, … {}", parts[0], parts[1], parts.back())
                                               : fmt::format("{}", fmt::join(parts, ", "));
  return fmt::format("rank{} {}", of_role.size() > 1 ? "s" : "", words);
}

Division division_of(const std::vector<std::vector<Event>>& calls, const RecordedRanks& recorded) {
  const auto kinds = kinds_of(calls);
  const int ranks = recorded.ranks;
  std::string first_problem;
  for (int roles = 1; roles <= ranks; ++roles) {
    for (int stride = 1; roles * stride <= ranks; ++stride) {
      const Division division{roles, stride};
      if (ranks % (roles * stride) != 0 || !fits(division, kinds, recorded.of_ranks)) continue;
      const auto problem = problem_of(division, calls, recorded);
      if (problem.empty()) return division;
      if (first_problem.empty()) first_problem = problem;
    }
  }
  auto problem = first_problem.empty() ? "the calls of the recorded ranks differ" : first_problem;
  if (static_cast<int>(calls.size()) < ranks)
    problem += fmt::format("; {} of {} ranks are too few to tell what the others do: give recordings of all ranks",
                           calls.size(), ranks);
  throw BadUsage(problem);
}

}  // namespace ringmark::replay
