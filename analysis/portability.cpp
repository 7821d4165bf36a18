#include "analysis/portability.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "analysis/waterfall.hpp"
#include "base/errors.hpp"
#include "base/option.hpp"
#include "base/text_table.hpp"
#include "base/units.hpp"
#include "results/csv.hpp"

namespace ringmark::analysis {
namespace {

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
    throw BadUsage(
        fmt::format("{}: a table of platforms has a column configuration, one for each platform, and a row", file));
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
        throw BadUsage(fmt::format("{}: row {}, column {}: '{}' is no positive number", file, i, rows[0][c], row[c]));
      }
    }
    if (row[0] == "limit") {
      platforms.limit = std::move(values);
    } else if (!platforms.performance.emplace(row[0], std::move(values)).second) {
      throw BadUsage(fmt::format("{}: row {}: {} is there twice", file, i, row[0]));
    }
  }
  return platforms;
}

std::map<std::string, Platforms> platforms_from_results(const Table& table, const std::vector<std::size_t>& rows,
                                                        const std::string& by) {
  if (!table.has(by)) throw BadUsage(fmt::format("--by {}: there is no such column", by));
  auto columns = choices(table);
  std::erase(columns, by);
  const auto named = [&](std::size_t row) {
    std::vector<std::string> words;
    for (const auto& column : columns) {
      if (const auto cell = table.cell(row, column); !cell.empty()) words.push_back(column + "=" + cell);
    }
    return words.empty() ? "the only configuration" : fmt::format("{}", fmt::join(words, " "));
  };
  // thing → size → configuration → platform → rates
  std::map<std::string, std::map<double, std::map<std::string, std::map<std::string, std::vector<double>>>>> things;
  for (const auto row : rows) {
    const auto platform = table.cell(row, by);
    const auto rate = table.figure(row, "busbw_GBps");
    if (platform.empty() || !rate || *rate <= 0 || table.is(Schema::link, row)) continue;
    things[thing_of(table, row)][table.number("size_bytes")[row]][named(row)][platform].push_back(*rate);
  }
  std::map<std::string, Platforms> result;
  for (const auto& [thing, sizes] : things) {
    // The largest size at which the most platforms were measured.
    std::set<std::string> all;
    const std::map<std::string, std::map<std::string, std::vector<double>>>* configurations_found = nullptr;
    double size = 0;
    for (const auto& [each_size, each] : sizes) {
      std::set<std::string> here;
      for (const auto& [name, measured] : each) {
        for (const auto& [platform, rates] : measured) here.insert(platform);
      }
      if (here.size() < all.size()) continue;
      all = std::move(here);
      configurations_found = &each;
      size = each_size;
    }
    const auto& configurations = *configurations_found;
    Platforms platforms;
    platforms.platforms.assign(all.begin(), all.end());
    for (const auto& [name, measured] : configurations) {
      auto& values = platforms.performance[name];
      for (const auto& platform : all) {
        const auto found = measured.find(platform);
        values.push_back(found == measured.end() ? std::nullopt : std::optional(median(found->second)));
      }
    }
    std::vector<std::optional<double>> limits;
    for (const auto& platform : all) {
      std::vector<std::size_t> here;
      for (const auto row : rows) {
        if (table.cell(row, by) == platform) here.push_back(row);
      }
      limits.push_back(point_to_point_GBps(table, here));
    }
    // Without all limits there is no architectural efficiency over all platforms.
    const bool all_known =
        std::all_of(limits.begin(), limits.end(), [](const auto& limit) { return limit.has_value(); });
    if (all_known) platforms.limit = std::move(limits);
    result.emplace(fmt::format("{} {}, busbw", thing, format_size(static_cast<std::size_t>(size))),
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
  return fmt::format("{}: efficiency against the best on each platform\n{}", title, print_table(std::move(lines)));
}

}  // namespace ringmark::analysis
