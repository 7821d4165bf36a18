#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/fit/fit.hpp"
#include "analysis/fit/fit_links.hpp"
#include "base/text/text_table.hpp"
#include "base/units.hpp"
#include "replay/predict/network.hpp"
#include "results/files/json_rows.hpp"

namespace ringmark::analysis {

std::string print(const std::vector<Checked>& all) {
  std::vector<std::vector<std::string>> lines{
      {"predicted", ">size", ">measured (us)", ">predicted (us)", ">error", "outside the fitted range"}};
  std::vector<double> errors;
  for (const auto& each : all) {
    if (!each.prediction) continue;
    errors.push_back(100 * std::abs(each.prediction->time_us / each.time_us - 1));
    lines.push_back({each.case_name, format_size(each.size_bytes), short_number(each.time_us),
                     short_number(each.prediction->time_us),
                     fmt::format("{:+.1f} %", 100 * (each.prediction->time_us / each.time_us - 1)),
                     fmt::format("{}", fmt::join(each.prediction->outside, "; "))});
  }
  if (errors.empty()) return "the fit covers none of these results\n";
  const Sorted sorted(errors);
  return print_table(std::move(lines)) +
         fmt::format("error: median {:.1f} %, worst {:.1f} %, of {} predictions for {} measured cases\n",
                     sorted.median(), sorted.max(), errors.size(), all.size());
}

std::string print(const Fit& fit) {
  const auto interval = [](const std::optional<Interval>& ci, double scale) {
    return ci ? fmt::format(" ({} to {})", short_number(scale * ci->low), short_number(scale * ci->high)) : "";
  };
  std::vector<std::vector<std::string>> lines{{"path", "collective", "algorithm", ">ranks", ">messages", ">alpha (us)",
                                               ">GB/s", ">residual", ">held out: sizes", ">ranks"}};
  for (const auto& model : fit.models) {
    auto path = model.transport + (model.network.empty() ? "" : "/" + model.network);
    if (!model.settings.empty()) path += " " + model.settings;
    const auto error = [](const std::optional<HeldOut>& held) {
      return held ? fmt::format("{:.1f} % (worst {:.1f})", held->median_percent, held->worst_percent) : "-";
    };
    for (const auto& segment : model.segments) {
      const auto& ci = segment.beta_us_per_byte_ci;
      const auto to_rate = [](double beta) { return 1 / beta / 1e3; };
      std::string rate = segment.beta_us_per_byte > 0 ? short_number(to_rate(segment.beta_us_per_byte)) : "-";
      if (segment.beta_us_per_byte > 0 && ci && ci->low > 0) {
        rate += fmt::format(" ({} to {})", short_number(to_rate(ci->high)), short_number(to_rate(ci->low)));
      }
      const auto round = [](double bytes) { return format_size(static_cast<std::size_t>(std::llround(bytes))); };
      const bool is_within_host = is_point_to_point(model.collective) && model.ranks_per_node > 1;
      lines.push_back(
          {path,
           fmt::format("{}{}{}", model.collective, is_within_host ? " within a host" : "",
                       model.in_place != 0 ? " in place" : ""),
           model.algorithm + (model.is_assumed ? " (assumed)" : ""), fmt::format("{}", fmt::join(model.ranks, ",")),
           fmt::format("{} to {}", round(segment.from_message_bytes), round(segment.to_message_bytes)),
           segment.alpha_us > 0 ? short_number(segment.alpha_us) + interval(segment.alpha_us_ci, 1) : "undetermined",
           std::move(rate), segment.points > 2 ? fmt::format("{:.1f} %", segment.residual_percent) : "",
           error(model.by_size), error(model.by_ranks)});
    }
  }
  std::string bursts;
  for (const auto& burst : fit.bursts) {
    bursts += fmt::format("{}{}: {}\n", burst.transport, burst.network.empty() ? "" : "/" + burst.network,
                          replay::burst_assumption(burst.bytes, "as measured"));
  }
  return print_table(std::move(lines)) + print(fit.links) + bursts +
         "time = steps x alpha + bytes / (GB/s), steps and bytes of the algorithm's schedule; 95 % intervals\n";
}

std::string segments_json(const Fit& fit) {
  const auto bound = [](const std::optional<Interval>& interval, double Interval::*side) {
    return interval ? JsonRow(*interval.*side) : JsonRow();
  };
  std::vector<JsonRow> rows;
  for (const auto& model : fit.models) {
    for (const auto& segment : model.segments) {
      rows.push_back({{"schema", "fit-segment/1"},
                      {"transport", model.transport},
                      {"network", model.network},
                      {"memory", model.memory},
                      {"collective", model.collective},
                      {"algorithm", model.algorithm},
                      {"algorithm_is_assumed", model.is_assumed},
                      {"datatype", model.datatype},
                      {"op", model.op},
                      {"in_place", model.in_place},
                      {"timing", model.timing},
                      {"settings", model.settings},
                      {"ranks", model.ranks},
                      {"ranks_per_node", model.ranks_per_node},
                      {"launches", model.launches},
                      {"from_message_bytes", segment.from_message_bytes},
                      {"to_message_bytes", segment.to_message_bytes},
                      {"alpha_us", segment.alpha_us},
                      {"alpha_us_ci_low", bound(segment.alpha_us_ci, &Interval::low)},
                      {"alpha_us_ci_high", bound(segment.alpha_us_ci, &Interval::high)},
                      {"beta_us_per_byte", segment.beta_us_per_byte},
                      {"beta_us_per_byte_ci_low", bound(segment.beta_us_per_byte_ci, &Interval::low)},
                      {"beta_us_per_byte_ci_high", bound(segment.beta_us_per_byte_ci, &Interval::high)},
                      {"residual_percent", segment.residual_percent},
                      {"points", segment.points}});
    }
  }
  return json_rows(rows);
}

}  // namespace ringmark::analysis
