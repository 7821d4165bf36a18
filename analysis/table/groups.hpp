// Groups of rows with the same values in some columns, and a time for each launch. The launch is the unit of
// replication, identified by its run_id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

struct Group {
  std::vector<std::uint32_t> key;  ///< the category of each column
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> launches;  ///< each one's run_id, as its id in the table
  std::vector<double> times_us;         ///< of each launch: its median, or the geometric mean of several rows' medians
};

class Groups {
 public:
  Groups(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string> columns);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::string& value(const Group& group, std::size_t column) const {
    return categories_[column].values[group.key[column]];
  }

 private:
  std::vector<std::string> columns_;
  std::vector<Categories> categories_;
  std::vector<Group> groups_;  ///< in the order in which they first appear
};

/// The case that a row measured, without its size: "all_reduce float32 sum, 4 ranks".
std::string case_of(const Table& table, std::size_t row);

/// A setting's value in words: "(unset)" if it is empty.
std::string shown(const std::string& value);

/// Whether `a` comes before `b`: numbers and sizes by their value, before all other text.
bool reads_before(const std::string& a, const std::string& b);

}  // namespace ringmark::analysis
