#include "analysis/job/waits.hpp"

#include <algorithm>

namespace ringmark::analysis::job {
namespace {

/// Combines two sources' records of a call: the furthest state wins, and a watchdog's record supplies how long the call
/// ran.
void merge(Call& mine, const Call& other) {
  mine.state = std::max(mine.state, other.state);
  if (!mine.created) mine.created = other.created;
  if (other.ran) mine.ran = other.ran;
  if (!other.ended_at.empty()) mine.ended_at = other.ended_at;
}

void add(RankView& view, const RankCalls& calls, const Source& source) {
  const bool has_shapes = source.kind != SourceKind::watchdog;
  for (const auto& [sequence, call] : calls.calls) {
    const auto [known, is_new] = view.calls.try_emplace(sequence, call);
    if (is_new) continue;
    if (has_shapes) known->second.shape = call.shape;
    merge(known->second, call);
  }
  view.has_shapes = view.has_shapes || has_shapes;
  view.messages.insert(view.messages.end(), calls.messages.begin(), calls.messages.end());
  if (!view.calls.empty()) view.entered = std::max(view.entered, view.calls.rbegin()->first);
  view.entered = std::max(view.entered, calls.last_entered.value_or(0));
  if (source.taken) view.taken = std::max(view.taken.value_or(*source.taken), *source.taken);
}

GroupView& group_in(Domain& domain, std::size_t communicator) {
  const auto found = std::find_if(domain.groups.begin(), domain.groups.end(),
                                  [&](const GroupView& each) { return each.communicator == communicator; });
  if (found != domain.groups.end()) return *found;
  domain.groups.push_back({communicator, {}, {}});
  return domain.groups.back();
}

bool is_of_all_ranks(const Communicator& communicator) {
  return communicator.has_job_ranks && communicator.members.empty() && communicator.description == "default_pg";
}

void add_numbers(std::set<int>& members, int count) {
  for (int rank = 0; rank < std::min(count, most_ranks); ++rank) members.insert(rank);
}

void find_members(GroupView& group, const Communicator& communicator, int ranks) {
  group.members = communicator.members;
  if (is_of_all_ranks(communicator)) add_numbers(group.members, ranks);
  if (!communicator.has_job_ranks) add_numbers(group.members, communicator.size);
  for (const auto& [rank, view] : group.ranks) group.members.insert(rank);
}

/// True if the wait had lasted at least options.least when its sources were written, or if its length is unknown.
bool was_long(const Wait& wait, const RankView* late, const RankView& own, const WaitOptions& options) {
  if (wait.ran && *wait.ran >= options.least) return true;
  const auto& taken =
      late != nullptr && late->taken && (!own.taken || *late->taken < *own.taken) ? late->taken : own.taken;
  return !wait.since || !taken || *taken < *wait.since || *taken - *wait.since >= options.least;
}

void add_message_waits(std::vector<Wait>& waits, const Domain& domain, const GroupView& group, int rank) {
  for (const auto& message : group.ranks.at(rank).messages) {
    const auto peer = group.ranks.find(message.peer);
    const bool is_met =
        peer != group.ranks.end() && std::any_of(peer->second.messages.begin(), peer->second.messages.end(),
                                                 [&](const PendingMessage& each) { return each.peer == rank; });
    if (is_met || !domain.has_job_ranks) continue;
    waits.push_back({.rank = rank,
                     .communicator = group.communicator,
                     .operation = message.operation,
                     .since = message.created,
                     .for_ranks = {message.peer}});
  }
}

}  // namespace

const Call* RankView::pending() const {
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [](const auto& each) { return each.second.state != CallState::completed; });
  return found == calls.end() ? nullptr : &found->second;
}

int job_ranks(const Evidence& evidence, const WaitOptions& options) {
  return std::max({options.ranks, evidence.least_ranks, static_cast<int>(evidence.hosts.size())});
}

std::vector<Domain> domains_of(const Evidence& evidence, const WaitOptions& options) {
  std::vector<Domain> domains{{.has_job_ranks = true, .groups = {}}};
  std::map<std::size_t, std::size_t> of_communicator;
  for (const auto& calls : evidence.calls) {
    const bool has_job_ranks = evidence.communicators[calls.communicator].has_job_ranks;
    if (!has_job_ranks && !of_communicator.contains(calls.communicator)) {
      of_communicator[calls.communicator] = domains.size();
      domains.push_back({});
    }
    auto& domain = domains[has_job_ranks ? 0 : of_communicator[calls.communicator]];
    add(group_in(domain, calls.communicator).ranks[calls.rank], calls, evidence.sources[calls.source]);
  }
  const auto ranks = job_ranks(evidence, options);
  for (auto& domain : domains) {
    for (auto& group : domain.groups) find_members(group, evidence.communicators[group.communicator], ranks);
  }
  return domains;
}

std::vector<Wait> waits_of(const Domain& domain, const WaitOptions& options) {
  std::vector<Wait> waits;
  for (const auto& group : domain.groups) {
    for (const auto& [rank, view] : group.ranks) {
      add_message_waits(waits, domain, group, rank);
      const auto* call = view.pending();
      if (call == nullptr) continue;
      Wait wait{rank,           group.communicator, call->operation,
                call->sequence, call->state,        call->created,
                call->ran,      call->ended_at,     {}};
      bool is_long = was_long(wait, nullptr, view, options);
      for (const int member : group.members) {
        const auto found = group.ranks.find(member);
        const auto* other = found == group.ranks.end() ? nullptr : &found->second;
        if (other != nullptr && other->entered >= call->sequence) continue;
        is_long = is_long && was_long(wait, other, view, options);
        wait.for_ranks.insert(member);
      }
      if (is_long) waits.push_back(std::move(wait));
    }
  }
  return waits;
}

}  // namespace ringmark::analysis::job
