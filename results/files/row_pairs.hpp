// Pairs the out-of-place and in-place rows of each size, since nccl-tests shows both on one line.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "results/schema/record.hpp"

namespace ringmark {

/// The root as nccl-tests shows it: -1 if there is none.
std::string nccl_tests_root(const Record& record);

/// Takes rows as they are measured and passes them on in order: two together, or one whose partner never comes.
class RowPairs {
 public:
  using Use = std::function<void(const std::optional<Record>& out_of_place, const std::optional<Record>& in_place)>;

  /// Without `both`, only one placement is expected.
  RowPairs(bool both, Use use) : both_(both), use_(std::move(use)) {}

  void add(const Record& record);
  /// Passes on what still waits for a partner.
  void finish();

 private:
  void pass_first();

  bool both_;
  Use use_;
  std::deque<Record> pending_;  ///< out-of-place rows of the same setting, one per group
};

}  // namespace ringmark
