// The named process groups of PyTorch's recordings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// The members of each group, in the order of the groups' names, which are numbers in PyTorch.
std::vector<std::vector<int>> in_order_of_names(const std::map<std::string, std::vector<int>>& groups);

class NamedGroups {
 public:
  /// `imported` gets a communicator for each used group, in the order of first use, which is the same on every rank. It
  /// must outlive this.
  explicit NamedGroups(Imported& imported) : imported_(imported) {}

  /// Declares a group before a call uses it. All ranks know it by its name.
  void declare(const std::string& name, CommunicatorSeen seen) {
    seen.id = name;
    declared_[name] = std::move(seen);
  }
  bool is_declared(const std::string& name) const { return declared_.contains(name); }
  /// The declaration of a group; an unknown communicator if it was not declared.
  CommunicatorSeen declared(const std::string& name) const {
    const auto found = declared_.find(name);
    return found == declared_.end() ? CommunicatorSeen{} : found->second;
  }
  /// The index of the group's communicator. `seen` comes from the call; earlier facts take precedence.
  int use(const std::string& name, const CommunicatorSeen& seen);

 private:
  Imported& imported_;
  std::map<std::string, CommunicatorSeen> declared_;
  std::map<std::string, int> used_;
};

}  // namespace ringmark::replay
