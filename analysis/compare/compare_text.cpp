#include "analysis/compare/compare_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/slowdowns.hpp"
#include "analysis/table/groups.hpp"
#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "results/files/caveat_lines.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/result_file.hpp"

namespace ringmark::analysis {
namespace {

std::string list(const char* heading, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += fmt::format("{}{}\n", heading, lines[i]);
  if (lines.size() > most) text += fmt::format("{}… and {} more\n", heading, lines.size() - most);
  return text;
}

}  // namespace

std::string caveats_in_words(const std::vector<const Comparison*>& comparisons, const std::string& baseline) {
  std::map<std::string, std::vector<Caveat>> by_value;
  for (const auto* each : comparisons) {
    merge(by_value[shown(each->value)], each->caveats);
    merge(by_value[shown(baseline)], each->baseline_caveats);
  }
  return caveat_lines(by_value, "  ");
}

std::string best_in_words(const CompareResult& result, const std::string& case_name, const std::string& setting) {
  std::vector<const BestRange*> ranges;
  for (const auto& range : result.best) {
    if (range.case_name == case_name && range.setting == setting) ranges.push_back(&range);
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& range = *ranges[i];
    const auto sizes = ranges.size() == 1       ? std::string("all sizes")
                       : i == 0                 ? "up to " + format_size(range.to_bytes)
                       : i + 1 == ranges.size() ? "from " + format_size(range.from_bytes)
                       : range.from_bytes == range.to_bytes
                           ? "at " + format_size(range.from_bytes)
                           : fmt::format("{} to {}", format_size(range.from_bytes), format_size(range.to_bytes));
    words.push_back(range.is_doubted ? fmt::format("undecided ({}, in doubt)", sizes)
                                     : fmt::format("{} ({}{})", shown(range.value), sizes,
                                                   range.is_shown ? "" : ", nothing significantly faster"));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string print(const CompareResult& result, bool in_percent) {
  const auto baseline = shown(result.baseline);
  std::string text = fmt::format("by {}, against {}\n", result.by, baseline);
  const bool is_slowdowns = result.by == beside_column;
  if (is_slowdowns) text += print_slowdowns(result);
  for (std::size_t i = 0; !is_slowdowns && i < result.comparisons.size();) {
    const auto& first = result.comparisons[i];
    text += fmt::format("\n{}{}{}\n", first.case_name, first.setting.empty() ? "" : ", ", first.setting);
    std::vector<const Comparison*> of_this;
    std::vector<std::string> head{">size", result.by, ">launches", ">median (us)", ">" + baseline + " (us)"};
    if (in_percent) head.emplace_back(">% of baseline");
    head.insert(head.end(), {">ratio", ">p", "verdict"});
    std::vector<std::vector<std::string>> lines{std::move(head)};
    for (; i < result.comparisons.size(); ++i) {
      const auto& each = result.comparisons[i];
      if (std::tie(each.case_name, each.setting) != std::tie(first.case_name, first.setting)) break;
      auto& line = lines.emplace_back(std::vector<std::string>{
          format_size(each.size_bytes), shown(each.value),
          each.is_baseline_exact ? std::to_string(each.times_us.size())
                                 : fmt::format("{}:{}", each.times_us.size(), each.baseline_us.size()),
          short_number(median(each.times_us)), short_number(median(each.baseline_us))});
      if (in_percent) line.push_back(fmt::format("{:.1f}", 100 / each.ratio));
      line.insert(line.end(),
                  {fmt::format("{:.3f}", each.ratio), fmt::format("{:.2g}", each.p), each.judged_in_words()});
      of_this.push_back(&each);
    }
    text += print_table(std::move(lines)) + caveats_in_words(of_this, result.baseline);
    if (!in_percent) text += fmt::format("  best: {}\n", best_in_words(result, first.case_name, first.setting));
  }
  const auto count = [&](Verdict verdict) {
    return std::count_if(result.comparisons.begin(), result.comparisons.end(), [&](const Comparison& each) {
      return each.verdict == verdict && !each.is_undecided_by_doubt();
    });
  };
  const bool any_by_launches = std::any_of(result.comparisons.begin(), result.comparisons.end(),
                                           [](const Comparison& each) { return !each.by_ranks; });
  const auto in_doubt = std::count_if(result.comparisons.begin(), result.comparisons.end(),
                                      [](const Comparison& each) { return each.is_undecided_by_doubt(); });
  text +=
      fmt::format("\n{}: {} faster, {} slower, {} no difference shown{}\n",
                  with_count(result.comparisons.size(), "comparison"), count(Verdict::faster), count(Verdict::slower),
                  count(Verdict::no_difference), in_doubt == 0 ? "" : fmt::format(", {} in doubt", in_doubt));
  const bool is_exact = !result.comparisons.empty() && result.comparisons.front().is_baseline_exact;
  if (const auto undecided = undecided_in_words(static_cast<std::size_t>(count(Verdict::too_few)),
                                                result.comparisons.size(), usual_level, is_exact);
      !undecided.empty())
    text += undecided + "\n";
  text += fmt::format("ratio of medians of launches, 95 % intervals; p corrected for all comparisons (Holm){}\n",
                      any_by_launches ? "; t-test where there are too few launches for a rank test" : "");
  return text + list("also: ", result.goes_along) + list("refused: ", result.refused) +
         list("not matched: ", result.unmatched);
}

std::string to_csv(const CompareResult& result) {
  auto text = write_csv({"thing", "setting", "size_bytes", result.by, "baseline", "launches", "baseline_launches",
                         "time_us_median", "baseline_us_median", "ratio", "ratio_ci_low", "ratio_ci_high", "p",
                         "cliffs_delta", "test", "verdict", "caveats"});
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  for (const auto& each : result.comparisons) {
    text += write_csv(
        {each.case_name, each.setting, std::to_string(each.size_bytes), each.value, result.baseline,
         std::to_string(each.times_us.size()), std::to_string(each.baseline_us.size()), number(median(each.times_us)),
         number(median(each.baseline_us)), number(each.ratio), each.interval ? number(each.interval->low) : "",
         each.interval ? number(each.interval->high) : "", number(each.p), number(each.delta),
         each.by_ranks ? "mann_whitney" : "welch", std::string(name(each.verdict)), in_words(each.all_caveats())});
  }
  return text;
}

std::string to_json(const CompareResult& result) {
  std::vector<JsonRow> rows;
  for (const auto& each : result.comparisons) {
    JsonRow row{{"schema", "comparison/1"},
                {"thing", each.case_name},
                {"setting", each.setting},
                {"size_bytes", each.size_bytes},
                {"by", result.by},
                {"value", each.value},
                {"baseline", result.baseline},
                {"launches", each.times_us.size()},
                {"baseline_launches", each.baseline_us.size()},
                {"time_us_median", median(each.times_us)},
                {"baseline_us_median", median(each.baseline_us)},
                {"ratio", each.ratio},
                {"ratio_ci_low", nullptr},
                {"ratio_ci_high", nullptr},
                {"p", each.p},
                {"cliffs_delta", each.delta},
                {"test", each.by_ranks ? "mann_whitney" : "welch"},
                {"verdict", name(each.verdict)},
                {"is_in_doubt", each.is_doubted()},
                {"caveats", in_words(each.all_caveats())}};
    if (each.interval) row["ratio_ci_low"] = each.interval->low, row["ratio_ci_high"] = each.interval->high;
    rows.push_back(std::move(row));
  }
  return json_rows(rows);
}

}  // namespace ringmark::analysis
