#include "results/files/row_pairs.hpp"

namespace ringmark {

std::string nccl_tests_root(const Record& record) {
  const auto workload = record.collective.only();
  const auto* collective = workload ? std::get_if<Collective>(&*workload) : nullptr;
  if (collective == nullptr || !is_rooted(*collective)) return "-1";
  return std::to_string(record.settings.root.value_or(0));
}

void RowPairs::add(const Record& record) {
  if (record.in_place == 0) {
    if (!pending_.empty() && pending_.front().settings.group == record.settings.group) finish();
    pending_.push_back(record);
    if (!both_) finish();
    return;
  }
  // In-place rows have their groups in the same order; skipped groups have no such row.
  while (!pending_.empty() && pending_.front().settings.group != record.settings.group) pass_first();
  if (pending_.empty()) return use_(std::nullopt, record);
  const auto out_of_place = std::move(pending_.front());
  pending_.pop_front();
  use_(out_of_place, record);
}

void RowPairs::finish() {
  while (!pending_.empty()) pass_first();
}

void RowPairs::pass_first() {
  const auto first = std::move(pending_.front());
  pending_.pop_front();
  use_(first, std::nullopt);
}

}  // namespace ringmark
