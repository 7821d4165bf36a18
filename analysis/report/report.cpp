#include "analysis/report/report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "analysis/compare/compare_text.hpp"
#include "analysis/compare/slowdowns.hpp"
#include "analysis/fit/fit.hpp"
#include "analysis/report/charts.hpp"
#include "analysis/report/headline.hpp"
#include "analysis/report/measured.hpp"
#include "analysis/report/page_rows.hpp"
#include "analysis/report/report_head.hpp"
#include "analysis/stragglers/stragglers.hpp"
#include "analysis/table/origins.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/errors.hpp"
#include "base/input/host_list.hpp"
#include "results/files/csv.hpp"
#include "results/files/provenance.hpp"
#include "results/page/page.hpp"

namespace ringmark::analysis {
namespace {

using json = PageJson;

json column(const char* name, const char* kind = "text") { return {{"name", name}, {"kind", kind}}; }

std::string shown_label(const std::string& label) { return label.empty() ? "default" : label; }

class Report {
 public:
  explicit Report(const ReportInput& input)
      : input_(input),
        notes_(input.notes),
        of_(measured(input.table, input.options.comparison, input.options.link_GBps, notes_)) {}

  void write_to(const TextSink& sink) {
    if (const auto pooled = pooled_files_in_words(of_.table, of_.rows);
        !pooled.empty() && !(of_.comparison && of_.comparison->by == "file"))
      findings_.push_back(pooled);
    const auto best = best_at_largest(of_.table, of_.rows, of_.comparison, of_.limit_GBps);
    if (const auto caveats = caveats_of(best); !caveats.empty())
      findings_.push_back("Note: " + ringmark::in_words(caveats));
    json out;
    out["title"] = input_.options.title;
    out["made"] = now_utc();
    out["version"] = version();
    out["head"] = head_of(of_, input_.facts).facts();
    const auto steps = training_steps(of_.table, of_.rows);
    links_ = links_of(of_.table, of_.rows);
    const auto latencies = links_of(of_.table, of_.rows, LinkTest::latency);
    slow_links_ = slow_links(links_.launches, links_.names);
    const bool any_links = !links_.launches.empty() || !latencies.launches.empty();
    const bool any_slowdowns =
        of_.comparison && of_.comparison->by == beside_column && !of_.comparison->comparisons.empty();
    out["headline"] = any_slowdowns    ? slowdown_headline(*of_.comparison)
                      : !best.empty()  ? with_slow_links(headline(best, of_.comparison))
                      : !steps.empty() ? with_slow_links(headline(steps))
                      : any_links      ? headline(links_, latencies)
                                       : headline(best, of_.comparison);
    out["steps"] = steps_chart(of_, steps);
    out["answer"] = answer(best);
    out["cases"] = cases_chart(of_);
    out["comparison"] = comparison();
    out["waterfalls"] = waterfalls_chart(of_, input_.options.link_GBps);
    out["links"] = json::array();
    if (!links_.launches.empty()) out["links"].push_back(links_chart(links_, slow_links_));
    if (!latencies.launches.empty()) out["links"].push_back(links_chart(latencies, {}));
    out["scaling"] = scaling_chart(of_);
    out["fit"] = fitted();
    out["stragglers"] = stragglers();
    out["findings"] = findings_;
    out["sources"] = sources();
    out["facts"] = json::array();
    for (const auto& fact : input_.facts) out["facts"].push_back({fact.folder, fact.what(), fact.value});
    out["columns"] = json::array();
    out["notes"] = notes_;
    const auto shown = shown_columns(of_.table);
    for (const auto& name : shown) out["columns"].push_back(name);
    std::string text = as_script(out);
    // Writes the rows directly as text: as JSON values, a million of them would not fit in memory.
    text.back() = ',';
    text += "\"rows\":[";
    write_rows(of_.table, shown, sink, text);
    sink(text + "]}");
  }

 private:
  /// Adds the links that are slow, since collectives wait for them. Their evidence is among the findings.
  std::string with_slow_links(std::string text) const {
    for (const auto& slow : slow_links_) text += fmt::format("; {} is slow", slow.name);
    return text;
  }

  json answer(const std::vector<BestAtLargest>& best) const {
    json rows = json::array();
    for (const auto& each : best) {
      rows.push_back({each.case_name, each.size_bytes, each.setting.empty() ? shown_label(each.label) : each.setting,
                      figure(each.busbw_GBps), figure(each.of_limit_percent),
                      each.is_undecided ? "undecided" : each.against});
    }
    return {{"columns",
             {column("case"), column("size", "size"), column("best setting"), column("busbw (GB/s)", "number"),
              column("of the link (%)", "number"), column("compared with the baseline", "words")}},
            {"rows", std::move(rows)},
            {"note", of_.limit_GBps
                         ? fmt::format("The bandwidth of a link is {:.4g} GB/s, as {}.", *of_.limit_GBps,
                                       of_.limit_is_measured ? "measured between two ranks" : "given by --link-GBps")
                         : "The bandwidth of a link is unknown: add the CSV of ringmark-link, or give --link-GBps."}};
  }

  json comparison() {
    if (!of_.comparison) return nullptr;
    json rows = json::array(), undecided = json::array(), best = json::array();
    for (const auto& each : of_.comparison->comparisons) {
      (each.verdict == Verdict::too_few ? undecided : rows)
          .push_back({each.case_name, each.setting, each.value, each.size_bytes, each.judged_name(),
                      each.judged_in_words(), fmt::format("{}:{}", each.times_us.size(), each.baseline_us.size()),
                      figure(median(each.times_us)), figure(median(each.baseline_us)), figure(each.ratio),
                      figure(each.p)});
    }
    const auto level = input_.options.comparison.level;
    const auto comparisons = of_.comparison->comparisons.size();
    auto undecided_words = undecided_in_words(undecided.size(), comparisons, level);
    for (const auto& range : of_.comparison->best) {
      best.push_back({range.case_name, range.setting, range.from_bytes, range.to_bytes,
                      range.is_doubted ? "undecided" : shown_label(range.value),
                      range.is_shown     ? ""
                      : range.is_doubted ? "in doubt"
                                         : "nothing significantly faster"});
    }
    for (const auto* lines : {&of_.comparison->goes_along, &of_.comparison->refused, &of_.comparison->unmatched}) {
      constexpr std::size_t most = 10;
      notes_.insert(notes_.end(), lines->begin(),
                    lines->begin() + static_cast<std::ptrdiff_t>(std::min(most, lines->size())));
      if (lines->size() > most) notes_.push_back(fmt::format("… and {} more like the last", lines->size() - most));
    }
    return {{"by", of_.comparison->by},
            {"slowdowns", of_.comparison->by == beside_column ? slowdowns_table(*of_.comparison) : json::array()},
            {"baseline", shown_label(of_.comparison->baseline)},
            {"rows", std::move(rows)},
            {"undecided", std::move(undecided)},
            {"enough_launches", enough_launches(comparisons, level)},
            {"undecided_words", std::move(undecided_words)},
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
    found.insert(found.end(), slow_links_.begin(), slow_links_.end());
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
    json out = json::array();
    for (const auto& [file, origin] : origins_of(of_.table)) {
      out.push_back({file, origin.rows, origin.runs, origin.first_utc, origin.last_utc,
                     fold_host_list({origin.hosts.begin(), origin.hosts.end()}),
                     fmt::format("{}", fmt::join(origin.versions, ", ")),
                     fmt::format("{}", fmt::join(origin.labels, ", "))});
    }
    return out;
  }

  const ReportInput& input_;
  std::vector<std::string> notes_, findings_;
  Measured of_;
  Links links_;
  std::vector<Straggler> slow_links_;
};

}  // namespace

std::string report_data(const ReportInput& input) {
  std::string data;
  Report(input).write_to([&](std::string_view part) { data += part; });
  return data;
}

void write_report(const ReportInput& input, const TextSink& sink) {
  write_page(
      {"Ringmark report", "The tables and charts of this page", report_js, {}, chart_js},
      [&](const TextSink& to) { Report(input).write_to(to); }, sink);
}

}  // namespace ringmark::analysis
