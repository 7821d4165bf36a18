#include "analysis/table/usable_rows.hpp"

#include <map>

#include <fmt/format.h>

#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {

std::string why_unusable(const Table& table, std::size_t row) {
  const auto& status = table.text("status")[row];
  if (status != name(Status::ok)) return status.empty() ? "no status" : status;
  if (table.figure(row, "time_sliced").value_or(0) > 0) return "time_sliced";
  if (table.figure(row, "time_us_p50").value_or(0) <= 0) return "no time";
  if (table.figure(row, "size_bytes").value_or(0) <= 0) return "no size";
  return table.figure(row, "ranks").value_or(0) < 1 ? "no ranks" : "";
}

std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes) {
  struct Reason {
    std::size_t rows = 0, first = 0;
  };
  std::vector<std::size_t> usable;
  std::map<std::string, Reason> reasons;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto why = why_unusable(table, row);
    if (why.empty()) {
      usable.push_back(row);
    } else if (reasons[why].rows++ == 0) {
      reasons[why].first = row;
    }
  }
  for (const auto& [why, reason] : reasons) {
    const auto& detail = table.text("detail")[reason.first];
    notes.push_back(fmt::format("left out: {} with '{}' ({}, {}{})", with_count(reason.rows, "row"), why,
                                table.where(reason.first), case_of(table, reason.first),
                                detail.empty() ? "" : ": " + detail));
  }
  return usable;
}

std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows,
                                   std::optional<LinkTest> test) {
  std::vector<std::size_t> between, within;
  const auto* senders = table.has("senders") ? &table.text("senders") : nullptr;
  for (const auto row : rows) {
    if (senders != nullptr && !(*senders)[row].empty()) continue;
    if (!table.is(Schema::link, row) || (test && table.text("collective")[row] != name(*test))) continue;
    (table.number("nodes")[row] == 1 ? within : between).push_back(row);
  }
  return between.empty() ? within : between;
}

std::string pooled_files_in_words(const Table& table, const std::vector<std::size_t>& rows) {
  auto columns = case_columns(table);
  columns.emplace_back("size_bytes");
  for (const auto& column : setting_columns(table)) {
    if (column != "file") columns.push_back(column);
  }
  const Groups groups(table, rows, columns);
  const auto& files = table.text("file");
  for (const auto& group : groups.groups()) {
    std::set<std::string> of_group;
    for (const auto row : group.rows) of_group.insert(files[row]);
    if (of_group.size() < 2) continue;
    return fmt::format(
        "{} {} was measured in {} of the files ({} and {}); they count as launches of one cluster. To compare the "
        "files with each other, use compare --by file",
        case_of(table, group.rows.front()),
        format_size(static_cast<std::size_t>(table.number("size_bytes")[group.rows.front()])), of_group.size(),
        *of_group.begin(), *std::next(of_group.begin()));
  }
  return "";
}

std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows) {
  std::set<std::string> networks;
  for (const auto row : rows) {
    if (const auto& network = table.text("network")[row]; !network.empty()) networks.insert(network);
  }
  return networks;
}

}  // namespace ringmark::analysis
