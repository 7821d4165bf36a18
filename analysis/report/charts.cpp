#include "analysis/report/charts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analysis/compare/compare_text.hpp"
#include "analysis/compare/waterfall.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

using json = PageJson;

struct Span {
  std::optional<double> low, high;
};

/// The interval of a group's median time over its launches.
Span span_of(const Table& table, const Group& group) {
  const Sorted sorted(group.times_us);
  if (const auto interval = sorted.median_interval()) return {interval->low, interval->high};
  if (sorted.size() > 1) return {sorted.min(), sorted.max()};
  const auto row = group.rows.front();
  return {table.figure(row, "time_us_ci_low"), table.figure(row, "time_us_ci_high")};
}

json ratios(const Measured& of, const std::string& case_name) {
  json lines = json::array();
  if (!of.comparison) return lines;
  std::map<std::string, json> by_label;
  for (const auto& each : of.comparison->comparisons) {
    if (each.case_name != case_name) continue;
    auto& points = by_label.try_emplace(of.label_of(each.row), json::array()).first->second;
    points.push_back({{"size", each.size_bytes},
                      {"ratio", each.ratio},
                      {"low", each.interval ? figure(each.interval->low) : json(nullptr)},
                      {"high", each.interval ? figure(each.interval->high) : json(nullptr)},
                      {"words", each.judged_in_words()}});
  }
  for (auto& [label, points] : by_label) lines.push_back({{"label", label}, {"points", std::move(points)}});
  return lines;
}

}  // namespace

PageJson slowdowns_table(const CompareResult& slowdowns) {
  json rows = json::array();
  for (const auto& each : slowdowns.comparisons) {
    const auto bound = [&](double Interval::*end) {
      return each.interval ? figure((*each.interval).*end) : json(nullptr);
    };
    rows.push_back({figure(each.ratio), bound(&Interval::low), bound(&Interval::high), each.case_name, each.setting,
                    each.size_bytes, each.judged_name(), figure(median(each.times_us)),
                    figure(median(each.baseline_us)),
                    each.is_by_rounds ? "rounds of one launch"
                                      : fmt::format("{}:{}", each.times_us.size(), each.baseline_us.size()),
                    figure(each.p)});
  }
  return rows;
}

PageJson cases_chart(const Measured& of) {
  auto columns = case_columns(of.table);
  columns.insert(columns.end(), {configuration_column, "transport", "size_bytes"});
  if (of.comparison && of.comparison->by == "file") columns.emplace_back("file");
  // Rows whose network is unknown (docs/method/path-proof.md) are grouped with the others, unless these crossed several
  // networks.
  if (networks_in(of.table, of.rows).size() > 1) columns.emplace_back("network");
  const Groups groups(of.table, of.rows, columns);
  std::map<std::string, std::map<std::string, std::map<double, json>>> all;
  for (const auto& group : groups.groups()) {
    const auto row = group.rows.front();
    if (of.table.is(Schema::link, row) || of.table.is(Schema::replay, row)) continue;
    const double size = of.table.number("size_bytes")[row], time = median(group.times_us);
    const auto span = span_of(of.table, group);
    const auto busbw = of.table.figure(row, "busbw_GBps"), row_time = of.table.figure(row, "time_us_p50");
    // busbw is in inverse proportion to the time.
    const auto rate = [&](std::optional<double> at) {
      return busbw && at && *at > 0 ? figure(*busbw * *row_time / *at) : json(nullptr);
    };
    all[case_of(of.table, row)][of.label_of(row)][size] = {{"size", size},
                                                           {"time", figure(time)},
                                                           {"low", figure(span.low)},
                                                           {"high", figure(span.high)},
                                                           {"busbw", rate(time)},
                                                           {"busbw_low", rate(span.high)},
                                                           {"busbw_high", rate(span.low)},
                                                           {"launches", group.times_us.size()}};
  }
  json cases = json::array();
  for (const auto& [name, series] : all) {
    json lines = json::array();
    for (const auto& [label, points] : series) {
      json values = json::array();
      for (const auto& [size, point] : points) values.push_back(point);
      lines.push_back({{"label", label}, {"points", std::move(values)}});
    }
    const auto limit =
        of.limit_GBps ? json{{"value", *of.limit_GBps}, {"label", "bandwidth of a link"}} : json(nullptr);
    cases.push_back({{"name", name}, {"series", std::move(lines)}, {"limit", limit}, {"ratios", ratios(of, name)}});
  }
  return cases;
}

PageJson steps_chart(const Measured& of, const std::vector<TrainingStep>& steps) {
  json out = json::array();
  for (const auto& step : steps) {
    if (out.empty() || out.back()["name"] != step.case_name)
      out.push_back({{"name", step.case_name}, {"rows", json::array()}});
    out.back()["rows"].push_back({{"label", of.label_of(step.row)},
                                  {"time", figure(step.time_us)},
                                  {"computation", figure(step.computation_us)},
                                  {"exposed", figure(step.exposed_us)},
                                  {"hidden", figure(step.hidden_us)},
                                  {"micro_computation", step.micro_computation_us},
                                  {"micro_exposed", step.micro_exposed_us},
                                  {"samples", figure(step.samples_per_s)},
                                  {"waited_for", step.waited_for},
                                  {"launches", step.launches}});
  }
  return out;
}

PageJson scaling_chart(const Measured& of) {
  std::map<std::string, std::map<std::string, std::map<double, std::map<double, std::vector<double>>>>> all;
  for (const auto row : of.rows) {
    const auto rate = of.table.figure(row, "busbw_GBps");
    if (!rate || of.table.is(Schema::link, row)) continue;
    auto name = fmt::format("{} {} {}{}{}", of.table.text("collective")[row], of.table.text("datatype")[row],
                            of.table.text("op")[row], of.table.number("in_place")[row] == 1 ? " in place" : "",
                            of.table.text("timing")[row] == ringmark::name(Timing::batch) ? ", batch" : "");
    all[name][of.label_of(row)][of.table.number("size_bytes")[row]][of.table.number("ranks")[row]].push_back(*rate);
  }
  json result = json::array();
  for (const auto& [name, labels] : all) {
    json series = json::array();
    for (const auto& [label, sizes] : labels) {
      std::size_t most = 0;
      for (const auto& [size, ranks] : sizes) most = std::max(most, ranks.size());
      if (most < 2) continue;
      for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
        if (size->second.size() != most) continue;
        json points = json::array();
        for (const auto& [ranks, rates] : size->second) points.push_back({{"ranks", ranks}, {"busbw", median(rates)}});
        series.push_back({{"label", fmt::format("{}, {}", label, format_size(static_cast<std::size_t>(size->first)))},
                          {"points", std::move(points)}});
        break;
      }
    }
    if (!series.empty()) result.push_back({{"name", name}, {"series", std::move(series)}});
  }
  return result;
}

PageJson links_chart(const Links& links, const std::vector<Straggler>& slow) {
  const auto is_slow = [&](std::size_t from, std::size_t to) {
    return std::any_of(slow.begin(), slow.end(), [&](const Straggler& each) {
      if (each.kind == Straggler::Kind::host) return each.ends[0] == from || each.ends[0] == to;
      return each.kind == Straggler::Kind::link && each.ends[0] == from && each.ends[1] == to;
    });
  };
  json pairs = json::array(), marked = json::array();
  for (std::size_t from = 0; from < links.names.size(); ++from) {
    for (std::size_t to = 0; to < links.names.size(); ++to) {
      std::vector<double> values;
      for (const auto& launch : links.launches) {
        if (!std::isnan(launch[from][to])) values.push_back(launch[from][to]);
      }
      if (values.empty()) continue;
      pairs.push_back({from, to, figure(median(std::move(values)))});
      if (is_slow(from, to)) marked.push_back({from, to});
    }
  }
  const bool is_latency = links.test == LinkTest::latency;
  return {{"test", ringmark::name(links.test)}, {"unit", is_latency ? "us" : "GB/s"}, {"names", links.names},
          {"size", links.size_bytes},           {"pairs", std::move(pairs)},          {"marked", std::move(marked)}};
}

PageJson waterfalls_chart(const Measured& of, std::optional<double> link_GBps) {
  json all = json::array();
  for (const auto& [case_name, levels] : waterfalls(of.table, of.rows, link_GBps)) {
    json out = json::array();
    for (const auto& level : levels) {
      out.push_back({{"name", level.name},
                     {"where", level.where},
                     {"GBps", figure(level.GBps)},
                     {"of_first_percent", figure(level.of_first_percent)},
                     {"lost_percent", figure(level.lost_percent)}});
    }
    all.push_back({{"name", case_name}, {"levels", std::move(out)}});
  }
  return all;
}

}  // namespace ringmark::analysis
