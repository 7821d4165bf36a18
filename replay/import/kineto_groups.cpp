#include "replay/import/kineto_groups.hpp"

#include <cstdint>
#include <string_view>

#include "replay/import/formats.hpp"

namespace ringmark::replay {

KinetoGroups::KinetoGroups(const nlohmann::json& distributed) {
  if (!distributed.is_object()) return;
  const auto groups = distributed.value("pg_config", nlohmann::json::array());
  if (!groups.is_array()) return;
  for (const auto& group : groups) {
    if (!group.is_object() || !group.contains("pg_name") || !group["pg_name"].is_string()) continue;
    declared_[group["pg_name"].get<std::string>()] = ranks_in(group.value("ranks", nlohmann::json::array()));
  }
}

std::vector<int> KinetoGroups::members(const nlohmann::json& call) const {
  const auto text = call.value("Process Group Ranks", "");
  if (auto listed = ranks_in(nlohmann::json::parse(text, nullptr, false)); !listed.empty()) return listed;
  const int size = rank_in(call, "Group size");
  const auto found = declared_.find(call.value("Process Group Name", ""));
  if (found != declared_.end() && static_cast<int>(found->second.size()) == size) return found->second;
  return shortened_ranks(text, size);
}

std::vector<int> shortened_ranks(const std::string& text, int size) {
  constexpr std::string_view gap = "...,";
  auto listed = text;
  for (auto at = listed.find(gap); at != std::string::npos; at = listed.find(gap)) listed.erase(at, gap.size());
  const auto ranks = ranks_in(nlohmann::json::parse(listed, nullptr, false));
  if (ranks.size() < 3 || size < 2 || size > most_ranks) return {};
  const std::int64_t first = ranks.front(), stride = std::int64_t{ranks[1]} - first;
  for (std::size_t i = 1; i + 1 < ranks.size(); ++i) {
    if (stride < 1 || ranks[i] != first + stride * static_cast<std::int64_t>(i)) return {};
  }
  if (ranks.back() != first + stride * (size - 1)) return {};
  std::vector<int> all;
  for (int i = 0; i < size; ++i) all.push_back(static_cast<int>(first + stride * i));
  return all;
}

}  // namespace ringmark::replay
