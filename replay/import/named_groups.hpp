// Process groups as PyTorch's recordings have them: by name.
#pragma once

#include <map>
#include <string>

#include "replay/import/import.hpp"

namespace ringmark::replay {

class NamedGroups {
 public:
  /// `imported` gets a communicator for each group that is used, in the order of first use: that is the same on every
  /// rank. It must outlive this.
  explicit NamedGroups(Imported& imported) : imported_(imported) {}

  /// What is known of a group before a call uses it.
  void declare(const std::string& name, CommunicatorSeen seen) { declared_[name] = std::move(seen); }
  bool is_declared(const std::string& name) const { return declared_.contains(name); }
  /// The index of its communicator. `seen` is what the call tells of it; what was told before holds.
  int use(const std::string& name, const CommunicatorSeen& seen);

 private:
  Imported& imported_;
  std::map<std::string, CommunicatorSeen> declared_;
  std::map<std::string, int> used_;
};

}  // namespace ringmark::replay
