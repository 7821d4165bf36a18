#include "analysis/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/ds_config_changes.hpp"
#include "analysis/groups.hpp"
#include "base/errors.hpp"
#include "base/shell_text.hpp"
#include "base/units.hpp"
#include "results/comparison.hpp"
#include "results/ready_settings.hpp"
#include "results/replay_columns.hpp"
#include "transports/nccl/functions.hpp"
#include "transports/nccl/tuner_file.hpp"

namespace ringmark::analysis {
namespace {

struct Case {
  int faster = 0, slower = 0;
  double logs = 0;
  std::vector<const Comparison*> all;

  double mean_ratio() const { return std::exp(logs / static_cast<double>(all.size())); }
  std::size_t row() const { return all.front()->row; }
};
/// By configuration.
using Cases = std::map<std::string, Case>;

std::string named(const std::string& configuration) {
  return configuration.empty() ? "everything unset" : configuration;
}

/// What is set to something is a default only of whoever says so.
std::string keep(const std::string& baseline) {
  return fmt::format("keep the {} ({})", baseline.empty() ? "default" : "baseline", named(baseline));
}

std::string line_of(const Comparison& each) {
  return fmt::format("{} {}: {}, p {:.1g}, {} against {} launches", each.thing, format_size(each.size_bytes),
                     in_words(each), each.p, each.times_us.size(), each.baseline_us.size());
}

/// What a row was set to, of all that was chosen differently somewhere. A value that would break out of a line of a
/// file is refused.
std::vector<std::pair<std::string, std::string>> settings_of(const Table& table, const Scope& scope, std::size_t row) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& column : scope.choices) {
    auto value = table.cell(row, column);
    // What was replayed is no choice, and its names are not always those that flags take.
    if (value.empty() || column == "memory" || column == "model" || column == "framework") continue;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (std::any_of(value.begin(), value.end(), is_control)) {
      throw BadUsage(
          fmt::format("{}: column {}: a value with control characters goes into no file", table.where(row), column));
    }
    const bool is_step = table.text("schema")[row] == replay_schema;
    settings.emplace_back(is_step ? std::string(replay_flag(column)) : column, std::move(value));
  }
  return settings;
}

/// Of a table of one collective; empty if there are several.
std::string only_function(const Table& table) {
  const auto& collectives = table.text("collective");
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (collectives[row] != collectives[0]) return "";
  }
  return table.rows() > 0 ? nccl_function(collectives[0]) : "";
}

std::string evidence_of(const Recommendation& recommendation) {
  auto text = recommendation.finding;
  for (const auto& line : recommendation.evidence) text += "\n" + line;
  return text;
}

/// Of one row; of what is chosen by variables, those that it leaves unset as well.
ReadySettings ready_settings(const Recommendation& recommendation, const Table& table, const Scope& scope,
                             std::size_t row) {
  ReadySettings ready{evidence_of(recommendation), {}, {}};
  const auto collective = only_function(table);
  for (const auto& column : scope.choices) {
    if (setting_kind(column) == SettingKind::environment) ready.environment[column] = std::nullopt;
  }
  for (const auto& [name, value] : settings_of(table, scope, row)) {
    if (setting_kind(name) == SettingKind::environment) {
      ready.environment[name] = nccl_setting_of(name, value, collective);
    } else {
      ready.arguments.push_back(argument_of(name, value));
    }
  }
  return ready;
}

/// Lines for each collective, ranks and nodes. What types or placements disagree on is left to the plug-in's default.
std::string tuner_csv(const Recommendation& recommendation, const Table& table, const Scope& scope) {
  struct Range {
    std::uint64_t from, to;
    std::string algorithm, protocol;
    bool operator==(const Range&) const = default;
  };
  // collective, nodes, ranks → thing → ranges
  std::map<std::tuple<std::string, int, int>, std::map<std::string, std::vector<Range>>> all;
  for (const auto& range : recommendation.by_size) {
    const auto& collective = table.text("collective")[range.row];
    if (nccl_function(collective).empty()) continue;
    Range out{range.from_bytes, range.to_bytes, "", ""};
    for (const auto& [name, value] : settings_of(table, scope, range.row)) {
      if (name == "NCCL_ALGO") out.algorithm = nccl_tuner_word(value, nccl_function(collective));
      if (name == "NCCL_PROTO") out.protocol = nccl_tuner_word(value, nccl_function(collective));
    }
    const auto whole = [&](const char* column) {
      const double value = table.figure(range.row, column).value_or(-1);
      return value > 0 ? static_cast<int>(value) : -1;
    };
    auto& ranges = all[{collective, whole("nodes"), whole("ranks")}][range.thing + range.setting];
    // Between two measured sizes: the geometric middle.
    if (!ranges.empty()) {
      const double middle = std::sqrt(static_cast<double>(ranges.back().to) * static_cast<double>(out.from));
      ranges.back().to = static_cast<std::uint64_t>(middle);
      out.from = ranges.back().to + 1;
    }
    ranges.push_back(std::move(out));
  }
  std::string text;
  for (const auto& [key, things] : all) {
    const auto& [collective, nodes, ranks] = key;
    const auto& first = things.begin()->second;
    const bool agree =
        std::all_of(things.begin(), things.end(), [&](const auto& each) { return each.second == first; });
    if (!agree) continue;
    // What is smaller or larger than all that was measured is as the nearest that was.
    auto ranges = first;
    const auto& measured = scope.sizes.at(collective);
    if (ranges.front().from <= measured.least_bytes) ranges.front().from = 0;
    if (ranges.back().to >= measured.most_bytes) ranges.back().to = largest_tuned_bytes;
    for (const auto& range : ranges) {
      if (range.algorithm.empty() || range.protocol.empty()) continue;  // not told: the plug-in's default
      text += nccl_tuner_line(
          {nccl_function(collective), range.from, range.to, range.algorithm, range.protocol, nodes, ranks});
    }
  }
  return text;
}

/// In how many settings two rows differ.
std::ptrdiff_t changes(const Table& table, std::size_t a, std::size_t b) {
  const auto columns = choices(table);
  return std::count_if(columns.begin(), columns.end(),
                       [&](const auto& column) { return table.cell(a, column) != table.cell(b, column); });
}

/// Of those that may be recommended the one with the fewest changes that is as fast as the fastest: less than two
/// percent behind it on the whole, and nowhere shown to be further behind. The end if none may be.
Cases::const_iterator simplest_of_the_fastest(const Table& table, const std::vector<std::size_t>& rows,
                                              const CompareResult& result, const Cases& cases) {
  constexpr double as_fast_percent = 2;
  const auto may_be = [&](const Case& one) {
    return one.faster > 0 && one.slower == 0 && one.all.size() >= result.baseline_groups;
  };
  auto fastest = cases.end();
  for (auto each = cases.begin(); each != cases.end(); ++each) {
    if (may_be(each->second) && (fastest == cases.end() || each->second.mean_ratio() < fastest->second.mean_ratio()))
      fastest = each;
  }
  if (fastest == cases.end()) return fastest;
  const auto& configurations = table.text(configuration_column);
  const auto baseline =
      *std::find_if(rows.begin(), rows.end(), [&](auto row) { return configurations[row] == result.baseline; });
  const auto changes_of = [&](const Case& one) { return changes(table, one.row(), baseline); };
  std::vector<Cases::const_iterator> simpler;
  for (auto each = cases.begin(); each != cases.end(); ++each) {
    if (may_be(each->second) &&
        each->second.mean_ratio() < (1 + as_fast_percent / 100) * fastest->second.mean_ratio() &&
        changes_of(each->second) < changes_of(fastest->second))
      simpler.push_back(each);
  }
  if (simpler.empty()) return fastest;
  const auto against = compare(table, rows, {.by = configuration_column, .baseline = fastest->first});
  std::erase_if(simpler, [&](auto one) {
    return std::any_of(against.comparisons.begin(), against.comparisons.end(), [&](const Comparison& each) {
      return each.value == one->first && is_slower_than(each, as_fast_percent);
    });
  });
  if (simpler.empty()) return fastest;
  return *std::min_element(simpler.begin(), simpler.end(), [&](auto a, auto b) {
    return std::pair(changes_of(a->second), a->second.mean_ratio()) <
           std::pair(changes_of(b->second), b->second.mean_ratio());
  });
}

}  // namespace

Recommendation recommend(const Table& configured, const std::vector<std::size_t>& rows,
                         const std::optional<std::string>& baseline) {
  const auto result = compare(configured, rows, {.by = configuration_column, .baseline = baseline});
  Cases cases;
  for (const auto& each : result.comparisons) {
    auto& one = cases[each.value];
    one.faster += each.verdict == Verdict::faster ? 1 : 0;
    one.slower += each.verdict == Verdict::slower ? 1 : 0;
    one.logs += std::log(each.ratio);
    one.all.push_back(&each);
  }
  Recommendation recommendation{.configuration = "",
                                .row = {},
                                .baseline = named(result.baseline),
                                .evidence = {},
                                .finding = "",
                                .by_size = result.best};
  for (const auto* lines : {&result.refused, &result.unmatched}) {
    recommendation.evidence.insert(recommendation.evidence.end(), lines->begin(), lines->end());
  }
  if (result.comparisons.empty()) {
    recommendation.finding = fmt::format("{}: nothing could be compared with it", keep(result.baseline));
    return recommendation;
  }
  if (const auto best = simplest_of_the_fastest(configured, rows, result, cases); best != cases.end()) {
    recommendation.configuration = best->first;
    recommendation.row = best->second.row();
    recommendation.finding =
        fmt::format("set {}: {} over all that was measured, against {}", named(recommendation.configuration),
                    difference_words(best->second.mean_ratio()), recommendation.baseline);
    for (const auto* each : best->second.all) recommendation.evidence.push_back(line_of(*each));
    return recommendation;
  }
  const bool depends =
      std::any_of(result.best.begin(), result.best.end(), [](const BestRange& range) { return range.is_shown; });
  recommendation.finding =
      fmt::format("{}: {}", keep(result.baseline),
                  depends ? "what is faster at some sizes is slower, or was not measured, at others"
                          : "nothing was shown to be faster");
  for (const auto& each : result.comparisons) {
    if (each.verdict == Verdict::faster || each.verdict == Verdict::slower) {
      recommendation.evidence.push_back(fmt::format("{}: {}", named(each.value), line_of(each)));
    }
  }
  return recommendation;
}

Scope scope_of(const Table& table) {
  Scope scope{choices(table), {}};
  const auto& sizes = table.number("size_bytes");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!(sizes[row] > 0)) continue;
    const auto bytes = static_cast<std::uint64_t>(sizes[row]);
    auto& of = scope.sizes.try_emplace(table.text("collective")[row], Scope::Sizes{bytes, bytes}).first->second;
    of.least_bytes = std::min(of.least_bytes, bytes);
    of.most_bytes = std::max(of.most_bytes, bytes);
  }
  return scope;
}

std::vector<ReadyFile> ready_files(const Recommendation& recommendation, const Table& table, const Scope& scope) {
  std::vector<ReadyFile> files;
  if (const auto row = recommendation.row) {
    const auto ready = ready_settings(recommendation, table, scope, *row);
    if (!ready.are_none()) files.push_back({"best.env", best_env(ready)});
    if (auto conf = nccl_conf(ready); !conf.empty()) files.push_back({"nccl.conf", std::move(conf)});
    if (table.text("collective")[*row] == "training_step") {
      const auto changes = ds_config_changes(settings_of(table, scope, *row));
      if (!changes.empty()) files.push_back({"ds_config.changes.json", as_comment(ready.evidence, "//") + changes});
    }
  }
  if (auto lines = tuner_csv(recommendation, table, scope); !lines.empty()) files.push_back({"nccl_tuner.csv", lines});
  return files;
}

}  // namespace ringmark::analysis
