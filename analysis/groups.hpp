// Rows by what they measured and how, launch by launch.
//
// A thing is what was measured: collective, type, reduction, placement, timing, ranks, size. A setting is how: all else
// that was chosen. Figures and outcomes are neither. The launch is the unit of replication, known by its run_id.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/read_results.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {

/// Columns that say what a row measured, without size_bytes.
const std::vector<std::string>& thing_columns();

/// Made by add_configurations.
inline const std::string configuration_column = "configuration";

/// Columns that say how, without `configuration`, in the order in which people ask for them: transport, swept
/// variables, keys of `settings`, algorithm, memory, network, file.
std::vector<std::string> setting_columns(const Table& table);

/// Setting columns in which rows of one schema differ, without what a sweep varies of the thing itself, the path, and
/// the file.
std::vector<std::string> choices(const Table& table);

/// Adds that column: all of a row's settings that vary in the table, "NCCL_ALGO=Tree NCCL_PROTO=LL". Empty
/// where all of them are unset.
void add_configurations(Table& table);

/// Why a row says nothing about speed: its status, or a GPU that was time-sliced; empty if it does.
std::string why_unusable(const Table& table, std::size_t row);

/// Rows that say something, and notes on the others, one for each reason.
std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes);

struct Group {
  std::vector<std::uint32_t> key;  ///< of each column, the category
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> launches;  ///< by the table's number of their run_id
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

/// "all_reduce float32 sum, 4 ranks": what a row measured, without its size.
std::string thing_of(const Table& table, std::size_t row);

/// Of ringmark-link's rows of a test ("bandwidth"; all of them if it is empty) those between hosts, or if there are
/// none, those within one: the two are different links.
std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows, std::string_view test);

/// What to tell of rows that were measured alike, but lie in several files: they are taken for launches of one cluster.
/// Empty if there are none.
std::string told_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows);

/// What to call a value of a setting: "(unset)" if it is empty.
std::string shown(const std::string& value);

/// The networks that rows crossed; rows that cannot tell (METHOD.md) are silent.
std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows);

/// Whether `a` comes before `b`: numbers and sizes by their value, before all other text.
bool reads_before(const std::string& a, const std::string& b);

}  // namespace ringmark::analysis
