// The passes of a step, which roles and micro-batches share.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Keeps equal passes only once.
class PassStore {
 public:
  explicit PassStore(std::vector<Pass>& passes) : passes_(passes) {}

  int keep(Pass pass) {
    const auto found = std::find(passes_.begin(), passes_.end(), pass);
    if (found != passes_.end()) return static_cast<int>(found - passes_.begin());
    passes_.push_back(std::move(pass));
    return static_cast<int>(passes_.size()) - 1;
  }

 private:
  std::vector<Pass>& passes_;
};

}  // namespace ringmark::replay
