// The groups of rows that a model is fitted over, or that it is held against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/table/groups.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// Rows by everything that tells models apart, by ranks and size, over which one model is fitted, and by the network,
/// which some rows do not know. Bursts are left out; groups of ranks that ran at once count by their row of all.
class FitGroups {
 public:
  /// `table` outlives this.
  FitGroups(const Table& table, const std::vector<std::size_t>& rows);
  FitGroups(const FitGroups&) = delete;
  FitGroups& operator=(const FitGroups&) = delete;

  const std::vector<const Group*>& all() const { return all_; }
  /// Equal for groups over which one model is fitted if they crossed the same network.
  std::vector<std::uint32_t> model_of(const Group& group) const;
  /// Empty if the rows do not know it.
  const std::string& network_of(const Group& group) const;
  /// A model without figures and network.
  FitModel describe(const Group& group) const;
  int ranks(const Group& group) const;
  std::uint64_t size_bytes(const Group& group) const;
  /// In words, after its first row.
  std::string name_of(const Group& group) const { return case_of(table_, group.rows.front()); }

 private:
  int ranks_per_node(const Group& group) const;

  const Table& table_;
  std::size_t model_columns_;
  Groups groups_;
  std::vector<const Group*> all_;
};

}  // namespace ringmark::analysis
