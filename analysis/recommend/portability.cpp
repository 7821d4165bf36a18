#include "analysis/recommend/portability.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/waterfall.hpp"
#include "analysis/table/caveats.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/text/text_table.hpp"
#include "base/units.hpp"
#include "results/files/csv.hpp"

namespace ringmark::analysis {
namespace {

/// Rows by configuration and platform.
using PlatformRows = std::map<std::string, std::map<std::string, std::vector<std::size_t>>>;

std::set<std::string> platforms_in(const PlatformRows& measured) {
  std::set<std::string> all;
  for (const auto& [configuration, by_platform] : measured) {
    for (const auto& [platform, rows] : by_platform) all.insert(platform);
  }
  return all;
}

/// The largest size at which the most platforms were measured.
std::map<double, PlatformRows>::const_iterator with_most_platforms(const std::map<double, PlatformRows>& sizes) {
  auto best = sizes.begin();
  for (auto it = sizes.begin(); it != sizes.end(); ++it) {
    if (platforms_in(it->second).size() >= platforms_in(best->second).size()) best = it;
  }
  return best;
}

/// The median rate of each configuration on each platform, without limits.
Platforms rates_of(const Table& table, const PlatformRows& measured) {
  Platforms platforms;
  const auto all = platforms_in(measured);
  platforms.platforms.assign(all.begin(), all.end());
  for (const auto& platform : all) {
    std::vector<std::size_t> of_platform;
    for (const auto& [configuration, by_platform] : measured) {
      auto& values = platforms.performance[configuration];
      const auto found = by_platform.find(platform);
      if (found == by_platform.end()) {
        values.emplace_back();
        continue;
      }
      std::vector<double> rates;
      for (const auto row : found->second) rates.push_back(*table.figure(row, "busbw_GBps"));
      values.emplace_back(median(std::move(rates)));
      of_platform.insert(of_platform.end(), found->second.begin(), found->second.end());
    }
    if (const auto caveats = caveats_of(table, of_platform); forbid_decision(caveats))
      platforms.doubts.push_back(fmt::format("{}: {}", platform, in_words(caveats)));
  }
  return platforms;
}

std::optional<double> share_of(const std::optional<double>& performance, double most) {
  return performance && most > 0 ? std::optional(*performance / most) : std::nullopt;
}

}  // namespace

double performance_portability(const std::vector<std::optional<double>>& efficiencies) {
  if (efficiencies.empty()) return 0;
  double sum = 0;
  for (const auto& efficiency : efficiencies) {
    if (!efficiency || *efficiency <= 0) return 0;
    sum += 1 / *efficiency;
  }
  return static_cast<double>(efficiencies.size()) / sum;
}

std::vector<Portability> portability(const Platforms& platforms) {
  const auto count = platforms.platforms.size();
  std::vector<double> best(count, 0);
  for (const auto& [name, performance] : platforms.performance) {
    for (std::size_t p = 0; p < count; ++p) best[p] = std::max(best[p], performance[p].value_or(0));
  }
  std::vector<Portability> all;
  for (const auto& [name, performance] : platforms.performance) {
    Portability one{.configuration = name, .application = {}, .architectural = {}, .phi_architectural = {}};
    for (std::size_t p = 0; p < count; ++p) {
      one.application.push_back(share_of(performance[p], best[p]));
      if (!platforms.limit.empty())
        one.architectural.push_back(share_of(performance[p], platforms.limit[p].value_or(0)));
    }
    one.phi_application = performance_portability(one.application);
    if (!platforms.limit.empty()) one.phi_architectural = performance_portability(one.architectural);
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.phi_application > b.phi_application; });
  return all;
}

Platforms platforms_from_csv(const std::string& file, std::string_view text) {
  std::vector<CsvRow> rows;
  try {
    rows = parse_csv(text);
  } catch (const CsvError& error) {
    throw BadUsage(fmt::format("{}: {}", file, error.what()));
  }
  if (rows.size() < 2 || rows[0].size() < 2 || rows[0][0] != "configuration") {
    throw BadUsage(fmt::format(
        "{}: a table of platforms needs a column 'configuration', a column for each platform, and at least one row",
        file));
  }
  Platforms platforms;
  platforms.platforms.assign(rows[0].begin() + 1, rows[0].end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    if (row.size() != rows[0].size()) {
      throw BadUsage(fmt::format("{}: row {}: {} cells where the header has {}", file, i, row.size(), rows[0].size()));
    }
    std::vector<std::optional<double>> values;
    for (std::size_t c = 1; c < row.size(); ++c) {
      double value{};
      if (row[c].empty()) {
        values.emplace_back();
      } else if (read_number(row[c], 1e-300, 1e300, value)) {
        values.emplace_back(value);
      } else {
        throw BadUsage(
            fmt::format("{}: row {}, column {}: '{}' is not a positive number", file, i, rows[0][c], row[c]));
      }
    }
    if (row[0] == "limit") {
      platforms.limit = std::move(values);
    } else if (!platforms.performance.emplace(row[0], std::move(values)).second) {
      throw BadUsage(fmt::format("{}: row {}: {} occurs twice", file, i, row[0]));
    }
  }
  return platforms;
}

std::map<std::string, Platforms> platforms_from_results(const Table& table, const std::vector<std::size_t>& rows,
                                                        const std::string& by) {
  if (!table.has(by)) throw BadUsage(fmt::format("--by {}: no such column", by));
  auto columns = choices(table);
  std::erase(columns, by);
  const auto named = [&](std::size_t row) {
    std::vector<std::string> words;
    for (const auto& column : columns) {
      if (const auto cell = table.cell(row, column); !cell.empty()) words.push_back(column + "=" + cell);
    }
    return words.empty() ? "the only configuration" : fmt::format("{}", fmt::join(words, " "));
  };
  std::map<std::string, std::map<double, PlatformRows>> cases;  // by case and size
  std::map<std::string, std::vector<std::size_t>> all_rows;
  for (const auto row : rows) {
    const auto platform = table.cell(row, by);
    all_rows[platform].push_back(row);
    const auto rate = table.figure(row, "busbw_GBps");
    if (platform.empty() || !rate || *rate <= 0 || table.is(Schema::link, row)) continue;
    cases[case_of(table, row)][table.number("size_bytes")[row]][named(row)][platform].push_back(row);
  }
  std::map<std::string, Platforms> result;
  for (const auto& [case_name, sizes] : cases) {
    const auto& [size, measured] = *with_most_platforms(sizes);
    auto platforms = rates_of(table, measured);
    for (const auto& platform : platforms.platforms)
      platforms.limit.push_back(point_to_point_GBps(table, all_rows.at(platform)));
    // Architectural efficiency over all platforms needs all of their limits.
    const bool all_known = std::all_of(platforms.limit.begin(), platforms.limit.end(),
                                       [](const auto& limit) { return limit.has_value(); });
    if (!all_known) platforms.limit.clear();
    result.emplace(fmt::format("{} {}, busbw", case_name, format_size(static_cast<std::size_t>(size))),
                   std::move(platforms));
  }
  return result;
}

std::string print(const std::string& title, const Platforms& platforms, const std::vector<Portability>& all) {
  std::vector<std::string> heading{"configuration"};
  for (const auto& platform : platforms.platforms) heading.push_back(">" + platform);
  heading.emplace_back(">Φ application");
  const bool has_limit = !platforms.limit.empty();
  if (has_limit) heading.emplace_back(">Φ architectural");
  std::vector<std::vector<std::string>> lines{heading};
  for (const auto& one : all) {
    std::vector<std::string> line{one.configuration};
    for (const auto& efficiency : one.application) {
      line.push_back(efficiency ? fmt::format("{:.3f}", *efficiency) : "-");
    }
    line.push_back(fmt::format("{:.3f}", one.phi_application));
    if (has_limit) line.push_back(fmt::format("{:.3f}", one.phi_architectural.value_or(0)));
    lines.push_back(std::move(line));
  }
  auto text =
      fmt::format("{}: efficiency relative to the best on each platform\n{}", title, print_table(std::move(lines)));
  for (const auto& doubt : platforms.doubts) text += fmt::format("in doubt: {}\n", doubt);
  return text;
}

std::vector<JsonRow> json_rows_of(const std::string& title, const Platforms& platforms,
                                  const std::vector<Portability>& all) {
  const auto figure = [](const std::vector<std::optional<double>>& figures, std::size_t at) {
    return at < figures.size() && figures[at] ? JsonRow(*figures[at]) : JsonRow();
  };
  std::vector<JsonRow> rows;
  for (const auto& each : all) {
    const auto performance = platforms.performance.find(each.configuration);
    for (std::size_t p = 0; p < platforms.platforms.size(); ++p) {
      rows.push_back(
          {{"schema", "portability/1"},
           {"thing", title},
           {"configuration", each.configuration},
           {"platform", platforms.platforms[p]},
           {"performance", performance == platforms.performance.end() ? JsonRow() : figure(performance->second, p)},
           {"limit", figure(platforms.limit, p)},
           {"application_efficiency", figure(each.application, p)},
           {"architectural_efficiency", figure(each.architectural, p)},
           {"phi_application", each.phi_application},
           {"phi_architectural", each.phi_architectural ? JsonRow(*each.phi_architectural) : JsonRow()},
           {"doubts", platforms.doubts}});
    }
  }
  return rows;
}

}  // namespace ringmark::analysis
