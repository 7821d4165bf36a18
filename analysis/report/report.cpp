#include "analysis/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

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

/// Appends JSON that may stand in a script element, where nothing may look like markup.
void append_json(std::string& to, const json& value) {
  for (const char c : value.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<') {
      to += "\\u003c";
    } else {
      to += c;
    }
  }
}

class Report {
 public:
  explicit Report(const ReportInput& input)
      : input_(input),
        notes_(input.notes),
        of_(measured(input.table, input.options.comparison, input.options.link_GBps, notes_)) {}

  void append_to(std::string& to) {
    if (const auto pooled = told_of_pooled_files(of_.table, of_.rows);
        !pooled.empty() && !(of_.comparison && of_.comparison->by == "file"))
      findings_.push_back(pooled);
    const auto best = best_at_largest(of_.table, of_.rows, of_.comparison, of_.limit_GBps);
    json out;
    out["title"] = input_.options.title;
    out["made"] = now_utc();
    out["version"] = version();
    const auto steps = training_steps(of_.table, of_.rows);
    links_ = links_of(of_.table, of_.rows);
    const auto latencies = links_of(of_.table, of_.rows, LinkTest::latency);
    const bool any_links = !links_.launches.empty() || !latencies.launches.empty();
    out["headline"] = !best.empty()    ? headline(best, of_.comparison)
                      : !steps.empty() ? headline(steps)
                      : any_links      ? headline(links_, latencies)
                                       : headline(best, of_.comparison);
    out["steps"] = steps_chart(of_, steps);
    out["answer"] = answer(best);
    out["things"] = things_chart(of_);
    out["comparison"] = comparison();
    out["waterfalls"] = waterfalls_chart(of_, input_.options.link_GBps);
    out["links"] = json::array();
    if (!links_.launches.empty()) out["links"].push_back(links_chart(links_));
    if (!latencies.launches.empty()) out["links"].push_back(links_chart(latencies));
    out["scaling"] = scaling_chart(of_);
    out["fit"] = fitted();
    out["stragglers"] = stragglers();
    out["findings"] = findings_;
    out["sources"] = sources();
    out["facts"] = json::array();
    for (const auto& fact : input_.facts) out["facts"].push_back({fact.folder, fact.what, fact.value});
    out["columns"] = json::array();
    out["notes"] = notes_;
    const auto shown = shown_columns();
    for (const auto& name : shown) out["columns"].push_back(name);
    append_json(to, out);
    // The rows go straight into the text: as values of JSON, a million of them would not fit.
    to.back() = ',';
    to += "\"rows\":[";
    append_rows(to, shown);
    to += "]}";
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
      constexpr std::size_t most = 10;
      notes_.insert(notes_.end(), lines->begin(),
                    lines->begin() + static_cast<std::ptrdiff_t>(std::min(most, lines->size())));
      if (lines->size() > most)
        notes_.push_back(fmt::format("… and {} more like the last, in what compare prints", lines->size() - most));
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
    const LookedAt looked_at{.entries = !input_.samples.empty(), .links = !links_.launches.empty()};
    std::vector<std::string> shortages{input_.samples.empty() ? "" : too_few_to_tell(input_.samples),
                                       too_few_to_tell(links_), looked_at.entries ? blind_spot(looked_at) : ""};
    std::erase(shortages, "");
    json rows = json::array();
    for (const auto& each : found) {
      rows.push_back({each.name, figure(each.cost_percent), figure(each.p), each.evidence});
      findings_.push_back(fmt::format("{} holds up the others: {}", each.name, each.evidence));
    }
    return {{"rows", std::move(rows)},
            {"looked_at", looked_at.entries || looked_at.links},
            {"none_found", none_found(looked_at)},
            {"shortage", fmt::format("{}", fmt::join(shortages, "; "))}};
  }

  json sources() const {
    struct Source {
      std::size_t rows = 0;
      std::set<std::uint32_t> runs;
      std::string_view first, last;
    };
    std::map<std::string, Source> files;
    const auto &run_ids = of_.table.text("run_id"), &times = of_.table.text("time_utc");
    for (std::size_t row = 0; row < of_.table.rows(); ++row) {
      auto& source = files[of_.table.text("file")[row]];
      ++source.rows;
      source.runs.insert(run_ids.id(row));
      const std::string_view time = times[row];
      if (source.rows == 1 || time < source.first) source.first = time;
      if (source.rows == 1 || time > source.last) source.last = time;
    }
    json out = json::array();
    for (const auto& [file, source] : files) {
      out.push_back({file, source.rows, source.runs.size(), source.first, source.last});
    }
    return out;
  }

  /// Columns that are not empty everywhere.
  std::vector<std::string> shown_columns() const {
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
    return columns;
  }

  /// Every row as an array, separated by commas.
  void append_rows(std::string& to, const std::vector<std::string>& columns) const {
    struct Column {
      const NumberColumn* number;
      const TextColumn* text;
      std::uint32_t last_id = UINT32_MAX;
      std::string last{};  ///< as JSON: most cells repeat the one above
    };
    std::vector<Column> cells;
    for (const auto& name : columns) {
      const bool is_number = of_.table.is_number(name);
      cells.push_back({is_number ? &of_.table.number(name) : nullptr, is_number ? nullptr : &of_.table.text(name)});
    }
    for (std::size_t row = 0; row < of_.table.rows(); ++row) {
      const auto begin = to.size();
      to += row == 0 ? "[" : ",[";
      for (auto& column : cells) {
        if (&column != &cells.front()) to += ',';
        if (column.number != nullptr) {
          const double value = (*column.number)[row];
          if (std::isfinite(value)) {
            fmt::format_to(std::back_inserter(to), "{}", value);
          } else {
            to += "null";
          }
        } else {
          if (column.text->id(row) != column.last_id) {
            column.last_id = column.text->id(row);
            column.last.clear();
            append_json(column.last, json((*column.text)[row]));
          }
          to += column.last;
        }
      }
      to += ']';
      // Growing by doubling would need three times the text.
      if (row == 0) to.reserve(to.size() + (to.size() - begin) * of_.table.rows() * 11 / 10);
    }
  }

  const ReportInput& input_;
  std::vector<std::string> notes_, findings_;
  Measured of_;
  Links links_;
};

}  // namespace

std::string report_data(const ReportInput& input) {
  std::string data;
  Report(input).append_to(data);
  return data;
}

std::string report_html(const ReportInput& input) {
  const std::map<std::string_view, std::string_view> parts{
      {"page_css", page_css}, {"chart_js", chart_js}, {"page_js", page_js}};
  std::string page;
  auto rest = page_html;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const auto close = rest.find("}}", open);
    const auto name = rest.substr(open + 2, close - open - 2);
    page += rest.substr(0, open);
    if (name == "data") {
      Report(input).append_to(page);
    } else {
      page += parts.at(name);
    }
    rest.remove_prefix(close + 2);
  }
  page += rest;
  return page;
}

}  // namespace ringmark::analysis
