#include "analysis/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/compare_text.hpp"
#include "analysis/fit.hpp"
#include "analysis/groups.hpp"
#include "analysis/report/charts.hpp"
#include "analysis/report/headline.hpp"
#include "analysis/report/measured.hpp"
#include "base/errors.hpp"
#include "results/csv.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

using json = PageJson;

json column(const char* name, const char* kind = "text") { return {{"name", name}, {"kind", kind}}; }

class Report {
 public:
  explicit Report(const ReportInput& input)
      : input_(input),
        notes_(input.notes),
        of_(measured(input.table, input.options.comparison, input.options.link_GBps, notes_)) {}

  std::string data() {
    if (const auto pooled = told_of_pooled_files(of_.table, of_.rows);
        !pooled.empty() && !(of_.comparison && of_.comparison->by == "file"))
      findings_.push_back(pooled);
    const auto best = best_at_largest(of_.table, of_.rows, of_.comparison, of_.limit_GBps);
    json out;
    out["title"] = input_.options.title;
    out["made"] = now_utc();
    out["version"] = version();
    const auto steps = training_steps(of_.table, of_.rows);
    out["headline"] = best.empty() && !steps.empty() ? headline(steps) : headline(best, of_.comparison);
    out["steps"] = steps_chart(of_, steps);
    out["answer"] = answer(best);
    out["things"] = things_chart(of_);
    out["comparison"] = comparison();
    out["waterfalls"] = waterfalls_chart(of_, input_.options.link_GBps);
    links_ = links_of(of_.table, of_.rows);
    out["links"] = links_chart(links_);
    out["scaling"] = scaling_chart(of_);
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
            {"note", of_.limit_GBps ? fmt::format("The limit is what {}: {:.4g} GB/s.",
                                                  of_.limit_is_measured ? "one link carries between two ranks, measured"
                                                                        : "was given as the rate of a link",
                                                  *of_.limit_GBps)
                                    : "No limit is known: add the CSV of ringmark-link, or --link-GBps."}};
  }

  json comparison() {
    if (!of_.comparison) return nullptr;
    json rows = json::array(), best = json::array();
    for (const auto& each : of_.comparison->comparisons) {
      rows.push_back({each.thing, each.setting, each.value, each.size_bytes, name(each.verdict), in_words(each),
                      each.times_us.size(), figure(median(each.times_us)), figure(median(each.baseline_us)),
                      figure(each.ratio), figure(each.p)});
    }
    for (const auto& range : of_.comparison->best) {
      best.push_back({range.thing, range.setting, range.from_bytes, range.to_bytes,
                      range.value.empty() ? "default" : range.value, range.is_shown ? "" : "nothing shown faster"});
    }
    for (const auto* lines : {&of_.comparison->goes_along, &of_.comparison->refused, &of_.comparison->unmatched}) {
      notes_.insert(notes_.end(), lines->begin(), lines->end());
    }
    return {{"by", of_.comparison->by},
            {"baseline", of_.comparison->baseline.empty() ? "default" : of_.comparison->baseline},
            {"rows", std::move(rows)},
            {"best", std::move(best)}};
  }

  json fitted() const {
    json lines = json::array();
    std::vector<std::string> unfitted;  // notes on too few sizes do not belong on this page
    for (const auto& model : fit_results(of_.table, of_.rows, unfitted).models) {
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
    for (std::size_t row = 0; row < of_.table.rows(); ++row) {
      auto& source = files[of_.table.text("file")[row]];
      ++source.rows;
      source.runs.insert(of_.table.text("run_id")[row]);
      source.times.insert(of_.table.text("time_utc")[row]);
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
    for (const auto& extra : of_.table.extra_columns()) {
      if (extra != configuration_column) columns.push_back(extra);
    }
    std::erase_if(columns, [&](const std::string& name) {
      if (!of_.table.is_number(name))
        return of_.table.text(name).values().size() == 1 && of_.table.text(name).values()[0].empty();
      const auto& cells = of_.table.number(name);
      return std::all_of(cells.begin(), cells.end(), [](double value) { return std::isnan(value); });
    });
    for (const auto& name : columns) names.push_back(name);
    json rows = json::array();
    for (std::size_t row = 0; row < of_.table.rows(); ++row) {
      json out = json::array();
      for (const auto& name : columns) {
        out.push_back(of_.table.is_number(name) ? figure(of_.table.number(name)[row])
                                                : json(of_.table.text(name)[row]));
      }
      rows.push_back(std::move(out));
    }
    return rows;
  }

  const ReportInput& input_;
  std::vector<std::string> notes_, findings_;
  Measured of_;
  Links links_;
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
