#include "sweeps/answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/option.hpp"
#include "base/text_table.hpp"
#include "results/column_kinds.hpp"
#include "results/comparison.hpp"
#include "results/csv.hpp"

namespace ringmark::sweep {
namespace {

std::string thing_of(const Record& row) {
  auto text = fmt::format("{} {}", row.collective, row.datatype);
  if (!row.op.empty()) text += " " + row.op;
  if (row.schema == link_schema) {
    const auto end = [&](const char* name) { return row.extra.contains(name) ? row.extra.at(name) : ""; };
    return fmt::format("{} {}->{}", text, end("src"), end("dst"));
  }
  return fmt::format("{}{}{}, {} ranks", text, row.in_place != 0 ? " in place" : "",
                     row.timing == "batch" ? " back to back" : "", row.ranks);
}

/// The number of the launch that a row is of, by its run_id; 0 if that names none.
std::size_t launch_of(const Record& row) {
  std::size_t launch = 0;
  const auto dot = row.run_id.rfind('.');
  if (dot != std::string::npos) read_number<std::size_t>(row.run_id.substr(dot + 1), 1, SIZE_MAX, launch);
  return launch;
}

}  // namespace

std::string answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows,
                   const std::vector<Done>& done) {
  std::vector<std::size_t> choices;
  for (std::size_t v = 0; v < sweep.variables.size(); ++v) {
    if (is_choice(sweep.variables[v].name)) choices.push_back(v);
  }
  using Choice = std::vector<std::size_t>;  // of each choice the index of its value
  const auto choice_at = [&](std::size_t point) {
    const auto indices = plan.indices(point);
    Choice choice;
    for (const auto v : choices) choice.push_back(indices[v]);
    return choice;
  };
  /// Of variables that are no settings to choose from what the row's own words do not say: a device, a model.
  const auto also = [&](std::size_t point, const std::string& thing) {
    const auto indices = plan.indices(point);
    std::string words;
    for (std::size_t v = 0; v < sweep.variables.size(); ++v) {
      const auto& variable = sweep.variables[v];
      constexpr std::array told{"program", "ranks", "sizes", "datatype", "op", "in-place", "timing", "test", "pairs"};
      if (is_choice(variable.name) || std::find(told.begin(), told.end(), variable.name) != told.end()) continue;
      words += fmt::format(", {}={}", variable.name, to_text(variable.values[indices[v]]));
    }
    return thing + words;
  };
  const auto default_choice = choice_at(plan.default_point());
  std::map<std::size_t, std::size_t> point_of;
  for (const auto& each : done) point_of[each.launch] = each.point;
  // What was measured, its size → the settings → the median of each launch.
  std::map<std::pair<std::string, std::uint64_t>, std::map<Choice, std::vector<double>>> measured;
  std::size_t time_sliced = 0;
  for (const auto& row : rows) {
    if (row.status != Status::ok || !row.time_us_p50) continue;
    if (row.time_sliced.value_or(0) > 0) {
      ++time_sliced;
      continue;
    }
    const auto point = point_of.find(launch_of(row));
    if (point == point_of.end()) continue;
    measured[{also(point->second, thing_of(row)), row.size_bytes}][choice_at(point->second)].push_back(
        *row.time_us_p50);
  }
  std::string text = fmt::format("\n{}\n\n", sweep.question);
  if (time_sliced > 0)
    text += fmt::format(
        "{} rows come from ranks that share a GPU: they do not time the network, and are not compared.\n", time_sliced);
  if (measured.empty()) return text + "No launch has measured anything; the rows in results.csv say why.\n";
  const auto name_of = [&](const Choice& choice) {
    std::vector<std::string> words;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const auto& variable = sweep.variables[choices[c]];
      words.push_back(variable.name + "=" + to_text(variable.values[choice[c]]));
    }
    return choices.empty() ? "the only setting" : fmt::format("{}", fmt::join(words, " "));
  };
  // Geometric, as the ratio is of which the interval is shown.
  const auto mean_of = [](const std::vector<double>& times) {
    double sum = 0;
    for (const double time : times) sum += std::log(time);
    return std::exp(sum / static_cast<double>(times.size()));
  };
  std::vector<std::vector<std::string>> lines{
      {"measured", ">default (us)", ">best (us)", "best setting", "against the default"}};
  for (const auto& [thing, settings] : measured) {
    const auto best = std::min_element(settings.begin(), settings.end(), [&](const auto& a, const auto& b) {
      return mean_of(a.second) < mean_of(b.second);
    });
    const auto found = settings.find(default_choice);
    std::string verdict = "the default was not measured";
    if (found == best) verdict = settings.size() == 1 ? "nothing to compare with" : "the default is the best";
    if (found != settings.end() && found != best) {
      const double confidence = 1 - 0.05 / static_cast<double>(settings.size() - 1);
      verdict = in_words(ratio_of(best->second, found->second, confidence));
    }
    lines.push_back({fmt::format("{} {}", thing.first, format_size(thing.second)),
                     found == settings.end() ? "-" : fmt::format("{:.1f}", mean_of(found->second)),
                     fmt::format("{:.1f}", mean_of(best->second)), name_of(best->first), verdict});
  }
  return text + print_table(std::move(lines)) + fmt::format("\ndefault: {}\n", name_of(default_choice));
}

}  // namespace ringmark::sweep
