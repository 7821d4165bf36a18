#include "analysis/table/origins.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/errors.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::string_view label_prefix = "label.";

/// The distinct texts of a column, by file.
using TextsByFile = std::vector<std::set<std::uint32_t>>;

TextsByFile texts_by_file(const Table& table, const TextColumn& column) {
  const auto& files = table.text("file");
  TextsByFile texts(files.values().size());
  for (std::size_t row = 0; row < table.rows(); ++row) texts[files.id(row)].insert(column.id(row));
  return texts;
}

/// Calls add(origin, text) once for each distinct non-empty text of the column in each file.
template <class Add>
void for_each_text(const Table& table, const std::string& column, std::map<std::string, Origin>& origins,
                   const Add& add) {
  if (!table.has(column)) return;
  const auto& texts = table.text(column);
  const auto by_file = texts_by_file(table, texts);
  for (std::size_t file = 0; file < by_file.size(); ++file) {
    for (const auto id : by_file[file]) {
      if (const auto& text = texts.values()[id]; !text.empty()) add(origins[table.text("file").values()[file]], text);
    }
  }
}

void add_hosts(Origin& origin, const std::string& text) {
  try {
    for (auto& host : parse_rank_hosts(text)) origin.hosts.insert(std::move(host));
  } catch (const BadUsage&) {
    origin.hosts.insert(text);  // in a file from another tool
  }
}

}  // namespace

bool NumbersByValue::operator()(const std::string& a, const std::string& b) const {
  return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

std::map<std::string, Origin> origins_of(const Table& table) {
  std::map<std::string, Origin> origins;
  const auto &files = table.text("file"), &times = table.text("time_utc");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto& origin = origins[files[row]];
    const auto& time = times[row];
    if (origin.rows == 0 || time < origin.first_utc) origin.first_utc = time;
    if (origin.rows == 0 || time > origin.last_utc) origin.last_utc = time;
    ++origin.rows;
  }
  for_each_text(table, "run_id", origins, [](Origin& origin, const std::string&) { ++origin.runs; });
  for_each_text(table, "hosts", origins, add_hosts);
  for (const char* end : {"src_host", "dst_host"})
    for_each_text(table, end, origins, [](Origin& origin, const std::string& host) { origin.hosts.insert(host); });
  for_each_text(table, "version", origins,
                [](Origin& origin, const std::string& version) { origin.versions.insert(version); });
  for (const auto& column : table.extra_columns()) {
    if (role_of(column) == Role::library_version) {
      const auto library = column.substr(0, column.find('_'));
      for_each_text(table, column, origins, [&](Origin& origin, const std::string& version) {
        origin.versions.insert(library + " " + version);
      });
    }
    if (!column.starts_with(label_prefix)) continue;
    for_each_text(table, column, origins, [&](Origin& origin, const std::string& value) {
      origin.labels.insert(column.substr(label_prefix.size()) + "=" + value);
    });
  }
  return origins;
}

}  // namespace ringmark::analysis
