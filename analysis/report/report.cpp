#include "analysis/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/compare_text.hpp"
#include "analysis/fit.hpp"
#include "analysis/groups.hpp"
#include "analysis/report/headline.hpp"
#include "analysis/waterfall.hpp"
#include "results/csv.hpp"
#include "results/provenance.hpp"
#include "transports/errors.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

// Members keep their order, so that the same results make the same page.
using json = nlohmann::ordered_json;

json figure(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
template <class Value>
json figure(const std::optional<Value>& value) {
  return value ? figure(static_cast<double>(*value)) : json(nullptr);
}

json column(const char* name, const char* kind = "text") { return {{"name", name}, {"kind", kind}}; }

/// What a legend says of a row's configuration: "tcp" for "transport=tcp".
std::string configuration_label(const Table& table, std::size_t row) {
  auto label = table.text(configuration_column)[row];
  if (label.empty()) return table.text("transport")[row];
  constexpr std::string_view obvious = "transport=";
  if (label.starts_with(obvious)) label.erase(0, obvious.size());
  return label;
}

struct Span {
  std::optional<double> low, high;
};

/// The interval of a group's median time, by what there is of launches.
Span span_of(const Table& table, const Group& group) {
  const Sorted sorted(group.times_us);
  if (const auto interval = sorted.median_interval()) return {interval->low, interval->high};
  if (sorted.size() > 1) return {sorted.min(), sorted.max()};
  const auto row = group.rows.front();
  return {table.figure(row, "time_us_ci_low"), table.figure(row, "time_us_ci_high")};
}

class Report {
 public:
  explicit Report(const ReportInput& input) : input_(input), table_(input.table), notes_(input.notes) {
    rows_ = usable_rows(table_, notes_);
    if (rows_.empty()) throw BadUsage("there is nothing to report: no row was measured");
    limit_ = point_to_point_GBps(table_, rows_);
    if (!limit_) limit_ = input.link_GBps;
    for (const auto row : rows_) {
      auto& networks = crossed_[table_.text(configuration_column)[row]];
      if (const auto& network = table_.text("network")[row]; !network.empty()) networks.insert(network);
    }
    try {
      comparison_ = compare(table_, rows_, input.comparison);
    } catch (const BadUsage&) {
      // A page without a comparison is still a page, unless one was asked for.
      if (!input.comparison.by.empty() || input.comparison.baseline) throw;
    }
  }

  std::string data() {
    const auto best = best_at_largest(table_, rows_, comparison_, limit_);
    json out;
    out["title"] = input_.title;
    out["made"] = now_utc();
    out["version"] = version();
    const auto steps = training_steps(table_, rows_);
    out["headline"] = best.empty() && !steps.empty() ? headline(steps) : headline(best, comparison_);
    out["steps"] = steps_json(steps);
    out["answer"] = answer(best);
    out["things"] = things();
    out["comparison"] = comparison();
    out["waterfalls"] = waterfalls_json();
    out["links"] = links();
    out["scaling"] = scaling();
    out["fit"] = fitted();
    out["stragglers"] = stragglers();
    out["findings"] = findings_;
    out["sources"] = sources();
    out["facts"] = json::array();
    for (const auto& fact : input_.facts) out["facts"].push_back({fact.folder, fact.what, fact.value});
    out["columns"] = json::array();
    out["rows"] = all_rows(out["columns"]);
    out["notes"] = notes_;
    auto text = out.dump(-1, ' ', false, json::error_handler_t::replace);
    // Within a script element nothing may look like markup.
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
    return text;
  }

 private:
  /// The configuration, and where one configuration crossed several networks, or files are compared, those as well.
  std::string label_of(std::size_t row) const {
    auto label = configuration_label(table_, row);
    if (crossed_.at(table_.text(configuration_column)[row]).size() > 1) label += " " + table_.text("network")[row];
    if (comparison_ && comparison_->by == "file") label += " " + table_.text("file")[row];
    return label;
  }

  json answer(const std::vector<BestAtLargest>& best) const {
    json rows = json::array();
    for (const auto& each : best) {
      rows.push_back({each.thing, each.size_bytes, each.label.empty() ? "default" : each.label, figure(each.busbw_GBps),
                      figure(each.of_limit_percent), each.against});
    }
    return {{"columns",
             {column("measured"), column("size", "size"), column("best"), column("busbw (GB/s)", "number"),
              column("of the limit (%)", "number"), column("against the baseline", "words")}},
            {"rows", std::move(rows)},
            {"note",
             limit_ ? fmt::format("The limit is what {}: {:.4g} GB/s.",
                                  point_to_point_GBps(table_, rows_) ? "one link carries between two ranks, measured"
                                                                     : "was given as the rate of a link",
                                  *limit_)
                    : "No limit is known: add the CSV of ringmark-link, or --link-GBps."}};
  }

  /// A list for each thing: configurations, the fastest first.
  json steps_json(const std::vector<TrainingStep>& steps) const {
    json out = json::array();
    for (const auto& step : steps) {
      if (out.empty() || out.back()["thing"] != step.thing)
        out.push_back({{"thing", step.thing}, {"rows", json::array()}});
      out.back()["rows"].push_back({{"label", label_of(step.row)},
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

  json things() const {
    auto columns = thing_columns();
    columns.insert(columns.end(), {configuration_column, "transport", "size_bytes"});
    if (comparison_ && comparison_->by == "file") columns.emplace_back("file");
    // Rows that do not know their network (METHOD.md) belong to the others, unless there are several.
    if (networks_in(table_, rows_).size() > 1) columns.emplace_back("network");
    const Groups groups(table_, rows_, columns);
    std::map<std::string, std::map<std::string, std::map<double, json>>> all;
    for (const auto& group : groups.groups()) {
      const auto row = group.rows.front();
      if (table_.text("schema")[row] == "link/1" || table_.text("schema")[row] == "replay/1") continue;
      const double size = table_.number("size_bytes")[row], time = median(group.times_us);
      const auto span = span_of(table_, group);
      const auto busbw = table_.figure(row, "busbw_GBps"), row_time = table_.figure(row, "time_us_p50");
      // busbw is in inverse proportion to the time.
      const auto rate = [&](std::optional<double> at) {
        return busbw && at && *at > 0 ? figure(*busbw * *row_time / *at) : json(nullptr);
      };
      all[thing_of(table_, row)][label_of(row)][size] = {{"size", size},
                                                         {"time", figure(time)},
                                                         {"low", figure(span.low)},
                                                         {"high", figure(span.high)},
                                                         {"busbw", rate(time)},
                                                         {"busbw_low", rate(span.high)},
                                                         {"busbw_high", rate(span.low)},
                                                         {"launches", group.times_us.size()}};
    }
    json things = json::array();
    for (const auto& [name, series] : all) {
      json lines = json::array();
      for (const auto& [label, points] : series) {
        json values = json::array();
        for (const auto& [size, point] : points) values.push_back(point);
        lines.push_back({{"label", label}, {"points", std::move(values)}});
      }
      const auto limit = limit_ ? json{{"value", *limit_}, {"label", "what a link carries"}} : json(nullptr);
      things.push_back({{"name", name}, {"series", std::move(lines)}, {"limit", limit}, {"ratios", ratios(name)}});
    }
    return things;
  }

  json ratios(const std::string& thing) const {
    json lines = json::array();
    if (!comparison_) return lines;
    std::map<std::string, json> by_label;
    for (const auto& each : comparison_->comparisons) {
      if (each.thing != thing) continue;
      auto& points = by_label.try_emplace(label_of(each.row), json::array()).first->second;
      points.push_back({{"size", each.size_bytes},
                        {"ratio", each.ratio},
                        {"low", each.interval ? figure(each.interval->low) : json(nullptr)},
                        {"high", each.interval ? figure(each.interval->high) : json(nullptr)},
                        {"words", in_words(each)}});
    }
    for (auto& [label, points] : by_label) lines.push_back({{"label", label}, {"points", std::move(points)}});
    return lines;
  }

  json comparison() {
    if (!comparison_) return nullptr;
    json rows = json::array(), best = json::array();
    for (const auto& each : comparison_->comparisons) {
      rows.push_back({each.thing, each.setting, each.value, each.size_bytes, each.times_us.size(),
                      figure(median(each.times_us)), figure(median(each.baseline_us)), figure(each.ratio),
                      figure(each.p), name(each.verdict), in_words(each)});
    }
    for (const auto& range : comparison_->best) {
      best.push_back({range.thing, range.setting, range.from_bytes, range.to_bytes,
                      range.value.empty() ? "default" : range.value, range.is_shown ? "" : "nothing shown faster"});
    }
    for (const auto* lines : {&comparison_->goes_along, &comparison_->refused, &comparison_->unmatched}) {
      notes_.insert(notes_.end(), lines->begin(), lines->end());
    }
    return {{"by", comparison_->by},
            {"baseline", comparison_->baseline.empty() ? "default" : comparison_->baseline},
            {"rows", std::move(rows)},
            {"best", std::move(best)}};
  }

  json waterfalls_json() const {
    json all = json::array();
    for (const auto& [thing, levels] : waterfalls(table_, rows_, input_.link_GBps)) {
      json out = json::array();
      for (const auto& level : levels) {
        out.push_back({{"name", level.name},
                       {"where", level.where},
                       {"GBps", figure(level.GBps)},
                       {"of_first_percent", figure(level.of_first_percent)},
                       {"lost_percent", figure(level.lost_percent)}});
      }
      all.push_back({{"thing", thing}, {"levels", std::move(out)}});
    }
    return all;
  }

  json links() {
    links_ = links_of(table_, rows_);
    if (links_.launches.empty()) return nullptr;
    json matrix = json::array();
    for (std::size_t from = 0; from < links_.names.size(); ++from) {
      json row = json::array();
      for (std::size_t to = 0; to < links_.names.size(); ++to) {
        std::vector<double> values;
        for (const auto& launch : links_.launches) {
          if (!std::isnan(launch[from][to])) values.push_back(launch[from][to]);
        }
        row.push_back(values.empty() ? json(nullptr) : figure(median(std::move(values))));
      }
      matrix.push_back(std::move(row));
    }
    return {{"names", links_.names}, {"size", links_.size_bytes}, {"matrix", std::move(matrix)}};
  }

  /// Where several numbers of ranks were measured: busbw of the largest size that all have.
  json scaling() const {
    std::map<std::string, std::map<std::string, std::map<double, std::map<double, std::vector<double>>>>> all;
    for (const auto row : rows_) {
      const auto rate = table_.figure(row, "busbw_GBps");
      if (!rate || table_.text("schema")[row] == "link/1") continue;
      auto name = fmt::format("{} {} {}{}{}", table_.text("collective")[row], table_.text("datatype")[row],
                              table_.text("op")[row], table_.number("in_place")[row] == 1 ? " in place" : "",
                              table_.text("timing")[row] == "batch" ? ", batch" : "");
      all[name][label_of(row)][table_.number("size_bytes")[row]][table_.number("ranks")[row]].push_back(*rate);
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
          for (const auto& [ranks, rates] : size->second)
            points.push_back({{"ranks", ranks}, {"busbw", median(rates)}});
          series.push_back({{"label", fmt::format("{}, {}", label, format_size(static_cast<std::size_t>(size->first)))},
                            {"points", std::move(points)}});
          break;
        }
      }
      if (!series.empty()) result.push_back({{"name", name}, {"series", std::move(series)}});
    }
    return result;
  }

  json fitted() const {
    json lines = json::array();
    std::vector<std::string> unfitted;  // too few sizes is no news on this page
    for (const auto& model : fit_results(table_, rows_, unfitted).models) {
      const auto path = model.transport + (model.network.empty() ? "" : "/" + model.network) +
                        (model.settings.empty() ? "" : " " + model.settings);
      const auto held = [](const std::optional<HeldOut>& value) {
        return value ? figure(value->median_percent) : json(nullptr);
      };
      for (const auto& segment : model.segments) {
        lines.push_back({path, model.collective + (model.in_place != 0 ? " in place" : ""),
                         model.algorithm + (model.is_assumed ? " (assumed)" : ""), figure(segment.from_message_bytes),
                         figure(segment.to_message_bytes), figure(segment.alpha_us),
                         segment.beta_us_per_byte > 0 ? figure(1 / segment.beta_us_per_byte / 1e3) : json(nullptr),
                         segment.points > 2 ? figure(segment.residual_percent) : json(nullptr), held(model.by_size),
                         held(model.by_ranks)});
      }
    }
    return lines;
  }

  json stragglers() {
    auto found = late_ranks(input_.samples);
    auto slow = slow_links(links_.launches, links_.names);
    found.insert(found.end(), slow.begin(), slow.end());
    std::vector<std::string> shortages{input_.samples.empty() ? "" : too_few_to_tell(input_.samples),
                                       too_few_to_tell(links_)};
    std::erase(shortages, "");
    json rows = json::array();
    for (const auto& each : found) {
      rows.push_back({each.name, figure(each.cost_percent), figure(each.p), each.evidence});
      findings_.push_back(fmt::format("{} holds up the others: {}", each.name, each.evidence));
    }
    return {{"rows", std::move(rows)},
            {"looked_at", !input_.samples.empty() || !links_.launches.empty()},
            {"shortage", fmt::format("{}", fmt::join(shortages, "; "))}};
  }

  json sources() const {
    struct Source {
      std::size_t rows = 0;
      std::set<std::string> runs, times;
    };
    std::map<std::string, Source> files;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      auto& source = files[table_.text("file")[row]];
      ++source.rows;
      source.runs.insert(table_.text("run_id")[row]);
      source.times.insert(table_.text("time_utc")[row]);
    }
    json out = json::array();
    for (const auto& [file, source] : files) {
      out.push_back({file, source.rows, source.runs.size(), *source.times.begin(), *source.times.rbegin()});
    }
    return out;
  }

  /// Every row, with the columns that are not empty everywhere.
  json all_rows(json& names) const {
    auto columns = record_header();
    std::erase(columns, "settings");
    for (const auto& extra : table_.extra_columns()) {
      if (extra != configuration_column) columns.push_back(extra);
    }
    std::erase_if(columns, [&](const std::string& name) {
      if (!table_.is_number(name))
        return table_.text(name).values().size() == 1 && table_.text(name).values()[0].empty();
      const auto& cells = table_.number(name);
      return std::all_of(cells.begin(), cells.end(), [](double value) { return std::isnan(value); });
    });
    for (const auto& name : columns) names.push_back(name);
    json rows = json::array();
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      json out = json::array();
      for (const auto& name : columns) {
        out.push_back(table_.is_number(name) ? figure(table_.number(name)[row]) : json(table_.text(name)[row]));
      }
      rows.push_back(std::move(out));
    }
    return rows;
  }

  const ReportInput& input_;
  const Table& table_;
  std::vector<std::string> notes_, findings_;
  std::vector<std::size_t> rows_;
  std::optional<double> limit_;
  std::optional<CompareResult> comparison_;
  Links links_;
  std::map<std::string, std::set<std::string>> crossed_;  ///< configuration → networks
};

}  // namespace

std::string report_data(const ReportInput& input) { return Report(input).data(); }

std::string report_html(const ReportInput& input) {
  const std::map<std::string, std::string> parts{{"page_css", std::string(page_css)},
                                                 {"chart_js", std::string(chart_js)},
                                                 {"page_js", std::string(page_js)},
                                                 {"data", report_data(input)}};
  std::string page;
  auto rest = page_html;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const auto close = rest.find("}}", open);
    page += rest.substr(0, open);
    page += parts.at(std::string(rest.substr(open + 2, close - open - 2)));
    rest.remove_prefix(close + 2);
  }
  return page + std::string(rest);
}

}  // namespace ringmark::analysis
