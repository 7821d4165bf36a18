// Which ranks are in the process groups of a Kineto trace: calls list them, as does the trace's header.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark::replay {

class KinetoGroups {
 public:
  /// Of the trace's distributedInfo, whose pg_config lists the groups since PyTorch 2.5.
  explicit KinetoGroups(const nlohmann::json& distributed);

  /// The numbers of the group's ranks among all ranks, from the call's list, else from the header's, else from the
  /// call's shortened list if its ranks are evenly spaced; empty if unknown.
  std::vector<int> members(const nlohmann::json& call) const;
  /// The members of each group in the header, by its name.
  const std::map<std::string, std::vector<int>>& declared() const { return declared_; }

 private:
  std::map<std::string, std::vector<int>> declared_;
};

/// The ranks of "[0, 2, 4, ..., 62]", to which PyTorch shortens lists of more than 30. Empty unless the listed ranks
/// fit `size` evenly spaced ones from the first to the last.
std::vector<int> shortened_ranks(const std::string& text, int size);

}  // namespace ringmark::replay
