// The groups of rows that a model is fitted to, or compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/table/groups.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// Groups rows by everything that distinguishes models, by ranks and size, which vary within a model, and by network,
/// which may be unknown. Leaves out bursts. For groups of ranks that ran concurrently, uses only the row for all of
/// them.
class FitGroups {
 public:
  /// `table` must outlive this object.
  FitGroups(const Table& table, const std::vector<std::size_t>& rows);
  FitGroups(const FitGroups&) = delete;
  FitGroups& operator=(const FitGroups&) = delete;

  const std::vector<const Group*>& all() const { return all_; }
  /// Groups with the same key and network belong to one model.
  std::vector<std::uint32_t> model_of(const Group& group) const;
  /// Empty if unknown.
  const std::string& network_of(const Group& group) const;
  /// A model without fitted values and network.
  FitModel describe(const Group& group) const;
  int ranks(const Group& group) const;
  std::uint64_t size_bytes(const Group& group) const;
  /// The case of its first row, in words.
  std::string name_of(const Group& group) const { return case_of(table_, group.rows.front()); }

 private:
  int ranks_per_node(const Group& group) const;

  const Table& table_;
  std::size_t model_columns_;
  Groups groups_;
  std::vector<const Group*> all_;
};

}  // namespace ringmark::analysis
