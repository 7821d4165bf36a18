// Groups of rows with the same values in some columns, and a time for each launch.
//
// A thing is what was measured: collective, type, reduction, placement, timing, ranks, size. A setting is how it was
// measured: everything else that was chosen. Figures and outcomes are neither. The launch is the unit of replication,
// known by its run_id.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/read_results.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {

/// The columns of a thing, without size_bytes; those of a group of ranks are among them if any row has a group, and the
/// start if any row's is agreed.
std::vector<std::string> thing_columns(const Table& table);
bool has_agreed_starts(const Table& table);

/// The keys of `settings` that say which ranks ran, and beside which others: `groups`, `group`, `members`, `beside`.
bool is_of_group(std::string_view column);

/// Made by add_configurations.
inline const std::string configuration_column = "configuration";

/// The columns of a setting, without `configuration`, in the order in which people ask for them: transport, swept
/// variables, keys of `settings`, algorithm, memory, network, file.
std::vector<std::string> setting_columns(const Table& table);

/// Setting columns in which rows of one schema differ, and by which one can choose: without the path, the file, and
/// columns that belong to the thing, such as a model.
std::vector<std::string> choices(const Table& table);

/// Adds that column: all of a row's settings that vary in the table, "NCCL_ALGO=Tree NCCL_PROTO=LL". Empty
/// where all of them are unset.
void add_configurations(Table& table);

/// Why a row says nothing about speed: its status, or a time-sliced GPU. Empty if the row is usable.
std::string why_unusable(const Table& table, std::size_t row);

/// The usable rows, and a note for each reason that others are not.
std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes);

struct Group {
  std::vector<std::uint32_t> key;  ///< the category of each column
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> launches;  ///< each one's run_id, as the table numbers it
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

/// The thing that a row measured, without its size: "all_reduce float32 sum, 4 ranks".
std::string thing_of(const Table& table, std::size_t row);

/// ringmark-link's rows of a test, or of all tests: those between hosts, or, without any, those within one host. The
/// two are different links. Rows of an incast tell of no link, since several ranks sent to one at the same time.
std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows,
                                   std::optional<LinkTest> test = std::nullopt);

/// A note on rows of the same thing and setting in several files, which count as launches of one cluster. Empty if
/// there are none.
std::string told_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows);

/// A setting's value in words: "(unset)" if it is empty.
std::string shown(const std::string& value);

/// The networks that rows crossed, without rows that do not know theirs (METHOD.md).
std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows);

/// Whether `a` comes before `b`: numbers and sizes by their value, before all other text.
bool reads_before(const std::string& a, const std::string& b);

}  // namespace ringmark::analysis
