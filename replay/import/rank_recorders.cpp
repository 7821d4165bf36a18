#include "replay/import/rank_recorders.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::replay {

RankRecorders::Rank& RankRecorders::first_of(const std::string& process) {
  const auto found =
      std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank& each) { return each.process == process; });
  if (found != ranks_.end()) return *found;
  ranks_.push_back({process, process, -1, {}, {}});
  return ranks_.back();
}

void RankRecorders::communicator(const std::string& process, const std::string& key, const std::string& id, int rank,
                                 int ranks) {
  auto* of = &first_of(process);
  const bool is_known_id = !id.empty() && id != "0";  // unknown for a split
  const auto same = of->ids.find(id);
  const bool is_second = is_known_id && same != of->ids.end() && same->second != rank;
  const auto is_it = [&](const Rank& each) { return each.process == process && each.number == rank; };
  if (const auto known = std::find_if(ranks_.begin(), ranks_.end(), is_it); known != ranks_.end()) {
    of = &*known;  // a new communicator of this rank, or the same again
  } else if (is_second) {
    ranks_.push_back({process, fmt::format("{}, rank {}", process, rank), rank, {}, {}});
    of = &ranks_.back();
  }
  if (of->number < 0) of->number = rank;
  of->ids.emplace(id, rank);
  of->recorder.communicator(key, rank, ranks);
  by_key_[{process, key}] = of;
}

CallRecorder& RankRecorders::of(const std::string& process, const std::string& key) {
  const auto found = by_key_.find({process, key});
  return found == by_key_.end() ? first_of(process).recorder : found->second->recorder;
}

CallRecorder& RankRecorders::of(const std::string& process) { return first_of(process).recorder; }

void RankRecorders::group_ends(const std::string& process) {
  for (auto& rank : ranks_) {
    if (rank.process == process) rank.recorder.group_ends();
  }
}

std::vector<std::pair<std::string, Imported>> RankRecorders::finish(const std::string& format) {
  std::vector<std::pair<std::string, Imported>> result;
  for (auto& rank : ranks_) result.emplace_back(rank.name, rank.recorder.finish(format));
  const auto has_calls = [](const auto& each) { return !each.second.calls.empty(); };
  if (std::any_of(result.begin(), result.end(), has_calls))
    std::erase_if(result, [&](const auto& each) { return !has_calls(each); });
  return result;
}

}  // namespace ringmark::replay
