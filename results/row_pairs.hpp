// Rows of one size, out of place and in place, brought together: nccl-tests has both in one line.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "results/record.hpp"

namespace ringmark {

/// The root as nccl-tests has it: -1 where there is none.
std::string nccl_tests_root(const Record& record);

/// Takes rows as they are measured and hands them on in their order: two together, or one whose partner does not come.
class RowPairs {
 public:
  using Use = std::function<void(const std::optional<Record>& out_of_place, const std::optional<Record>& in_place)>;

  /// `both` says whether both placements will come.
  RowPairs(bool both, Use use) : both_(both), use_(std::move(use)) {}

  void add(const Record& record);
  /// Hands on what still waits for a partner.
  void finish();

 private:
  void pass_first();

  bool both_;
  Use use_;
  std::deque<Record> pending_;  ///< out of place, of one setting: one, or one for each group
};

}  // namespace ringmark
