#include "replay/import/rank_recorders.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::replay {

RankRecorders::Rank& RankRecorders::first_of(const std::string& process) {
  const auto found =
      std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank& each) { return each.process == process; });
  if (found != ranks_.end()) return *found;
  ranks_.push_back({process, process, -1, {}, {}, {}});
  return ranks_.back();
}

RankRecorders::Rank& RankRecorders::rank_of(const std::string& process, const NewCommunicator& made) {
  if (const auto parent = by_key_.find({process, made.parent}); parent != by_key_.end()) return *parent->second;
  first_of(process);
  // A rank has one GPU, and one place in a communicator.
  const auto can_be = [&](const Rank& each) {
    const auto place = each.ids.find(made.id);
    return each.process == process && (!made.device || !each.device || each.device == made.device) &&
           (place == each.ids.end() || place->second == made.rank);
  };
  const auto has_number = [&](const Rank& each) { return can_be(each) && each.number == made.rank; };
  auto found = std::find_if(ranks_.begin(), ranks_.end(), has_number);
  if (found == ranks_.end()) found = std::find_if(ranks_.begin(), ranks_.end(), can_be);
  if (found != ranks_.end()) return *found;
  ranks_.push_back({process, fmt::format("{}, rank {}", process, made.rank), made.rank, made.device, {}, {}});
  return ranks_.back();
}

void RankRecorders::communicator(const std::string& process, const NewCommunicator& made) {
  auto& rank = rank_of(process, made);
  if (rank.number < 0) rank.number = made.rank;
  if (made.device) rank.device = made.device;
  if (!made.id.empty() && made.id != "0") rank.ids.emplace(made.id, made.rank);
  rank.recorder.communicator(made.key, made.rank, made.ranks, made.id == "0" ? "" : made.id);
  by_key_[{process, made.key}] = &rank;
}

RankRecorders::Rank& RankRecorders::rank_on(const std::string& process, int device) {
  auto& first = first_of(process);
  const auto is_it = [&](const Rank& each) { return each.process == process && each.device == device; };
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), is_it);
  if (found != ranks_.end()) return *found;
  const bool has_declared = first.number >= 0;
  if (has_declared) return first;
  if (!first.device) {
    first.device = device;
    return first;
  }
  ranks_.push_back({process, fmt::format("{}, GPU {}", process, device), -1, device, {}, {}});
  return ranks_.back();
}

CallRecorder& RankRecorders::of(const std::string& process, const std::string& key, std::optional<int> device) {
  const auto [found, is_new] = by_key_.try_emplace({process, key}, nullptr);
  if (is_new) found->second = device ? &rank_on(process, *device) : &first_of(process);
  return found->second->recorder;
}

CallRecorder& RankRecorders::of(const std::string& process) { return first_of(process).recorder; }

template <class Use>
void RankRecorders::for_ranks_of(const std::string& process, Use use) {
  for (auto& rank : ranks_) {
    if (rank.process == process) use(rank.recorder);
  }
}

void RankRecorders::group_begins(const std::string& process) {
  first_of(process);
  for_ranks_of(process, [](CallRecorder& recorder) { recorder.group_begins(); });
}

void RankRecorders::group_ends(const std::string& process) {
  for_ranks_of(process, [](CallRecorder& recorder) { recorder.group_ends(); });
}

void RankRecorders::group_was_not_made(const std::string& process, const std::string& what) {
  for_ranks_of(process, [&](CallRecorder& recorder) { recorder.group_was_not_made(what); });
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
