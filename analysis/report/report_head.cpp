#include "analysis/report/report_head.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/question.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/origins.hpp"
#include "base/units.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

/// In the order of their numbers, the first few of many: "(unset), 2, 4, … (9 values)".
std::string some_values(std::vector<std::string> values) {
  constexpr std::size_t most = 8;
  std::sort(values.begin(), values.end(), reads_before);
  const auto all = values.size();
  if (all > most) values.resize(most - 1);
  std::transform(values.begin(), values.end(), values.begin(), shown);
  auto text = fmt::format("{}", fmt::join(values, ", "));
  return all > most ? text + fmt::format(", … ({} values)", all) : text;
}

/// "all_reduce, all_gather; float32; 4 ranks; 1K, 64K, 1M".
std::string cases_in_words(const Measured& of) {
  std::vector<std::string> parts;
  for (const char* column : {"collective", "datatype"}) {
    auto values = values_in(of.table, of.rows, column);
    values.erase("");
    if (!values.empty()) parts.push_back(some_values({values.begin(), values.end()}));
  }
  auto ranks = values_in(of.table, of.rows, "ranks");
  ranks.erase("");
  if (!ranks.empty()) parts.push_back(some_values({ranks.begin(), ranks.end()}) + " ranks");
  std::set<std::uint64_t> sizes;
  for (const auto row : of.rows) {
    if (const double size = of.table.number("size_bytes")[row]; size > 0)
      sizes.insert(static_cast<std::uint64_t>(size));
  }
  if (!sizes.empty()) {
    const auto first = format_size(*sizes.begin()), last = format_size(*sizes.rbegin());
    parts.push_back(sizes.size() == 1   ? first
                    : sizes.size() == 2 ? fmt::format("{} and {}", first, last)
                                        : fmt::format("{} sizes from {} to {}", sizes.size(), first, last));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "transport: mpi, tcp; tcp.sockets: (unset), 2". A setting varies if it does among rows of one schema.
std::string varied_in_words(const Measured& of) {
  std::map<std::string, std::vector<std::size_t>> by_schema;
  for (const auto row : of.rows) by_schema[of.table.text("schema")[row]].push_back(row);
  std::vector<std::string> parts;
  for (const auto& column : choices(of.table)) {
    std::set<std::string> values;
    for (const auto& [schema, rows] : by_schema) {
      if (auto some = values_in(of.table, rows, column); some.size() > 1) values.merge(some);
    }
    if (!values.empty()) parts.push_back(fmt::format("{}: {}", column, some_values({values.begin(), values.end()})));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "transport=tcp memory=host": settings with one value in all rows.
std::string fixed_in_words(const Measured& of) {
  std::vector<std::string> parts;
  for (const auto& column : setting_columns(of.table)) {
    if (!is_choice(column) || column == "file") continue;
    const auto values = values_in(of.table, of.rows, column);
    if (values.size() == 1 && !values.begin()->empty()) parts.push_back(column + "=" + *values.begin());
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Each folder's question, once.
std::string questions_in_words(const std::vector<RunFact>& facts) {
  std::vector<std::string> questions;
  for (const auto& fact : facts) {
    const bool is_new = std::find(questions.begin(), questions.end(), fact.value) == questions.end();
    if (fact.keys == std::vector<std::string>{"question"} && is_new) questions.push_back(fact.value);
  }
  return fmt::format("{}", fmt::join(questions, " "));
}

}  // namespace

PageHead head_of(const Measured& of, const std::vector<RunFact>& facts) {
  constexpr std::string_view cluster_label = "cluster=";
  Origin all;
  for (const auto& [file, origin] : origins_of(of.table)) {
    const bool is_earlier = all.first_utc.empty() || (!origin.first_utc.empty() && origin.first_utc < all.first_utc);
    if (is_earlier) all.first_utc = origin.first_utc;
    all.last_utc = std::max(all.last_utc, origin.last_utc);
    all.hosts.insert(origin.hosts.begin(), origin.hosts.end());
    all.versions.insert(origin.versions.begin(), origin.versions.end());
    all.labels.insert(origin.labels.begin(), origin.labels.end());
  }
  std::vector<std::string> clusters, labels;
  for (const auto& label : all.labels) {
    const bool is_cluster = label.starts_with(cluster_label);
    (is_cluster ? clusters : labels).push_back(is_cluster ? label.substr(cluster_label.size()) : label);
  }
  return {.question = questions_in_words(facts),
          .cluster = fmt::format("{}", fmt::join(clusters, ", ")),
          .first_utc = all.first_utc,
          .last_utc = all.last_utc,
          .hosts = {all.hosts.begin(), all.hosts.end()},
          .settings = {{"Labels", fmt::format("{}", fmt::join(labels, ", "))},
                       {"Cases", cases_in_words(of)},
                       {"Settings that varied", varied_in_words(of)},
                       {"Other settings", fixed_in_words(of)}},
          .software = all.versions.empty() ? "" : fmt::format("ringmark {}", fmt::join(all.versions, ", "))};
}

}  // namespace ringmark::analysis
