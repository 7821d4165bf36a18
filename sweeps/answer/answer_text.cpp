#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "results/files/caveat_lines.hpp"
#include "sweeps/answer/answer.hpp"

namespace ringmark::sweep {
namespace {

std::string verdict_on(const MeasuredCase& measured) {
  const auto& best = measured.best();
  if (!measured.default_setting) return "the default was not measured";
  if (!best.refusal.empty()) return "not compared: " + best.refusal;
  if (best.difference && best.difference->verdict == Verdict::too_few) return "undecided";
  if (best.difference) return judged_in_words(*best.difference, measured.is_doubted(best));
  if (measured.settings.size() == 1) return "nothing to compare with";
  const bool all_slower =
      std::all_of(measured.settings.begin(), measured.settings.end(), [&](const MeasuredSetting& each) {
        return &each == &best || (each.difference && each.difference->verdict == Verdict::slower);
      });
  return all_slower ? "the default is the best" : "nothing is faster than the default";
}

/// One line on all undecided comparisons, with the number of repetitions that would decide them.
std::string undecided_in_words(const Answer& answer) {
  std::size_t undecided = 0, comparisons = 0;
  for (const auto& measured : answer.cases) {
    for (const auto& setting : measured.settings) {
      if (!setting.difference) continue;
      ++comparisons;
      undecided += setting.difference->verdict == Verdict::too_few ? 1 : 0;
    }
  }
  if (undecided == 0) return "";
  return fmt::format("{} (repetitions: {})\n", ringmark::undecided_in_words(undecided, comparisons),
                     enough_launches(comparisons));
}

std::string left_out_in_words(const std::vector<LeftOut>& all) {
  std::string text;
  for (const auto& each : all)
    text += fmt::format("not compared: {} of {}: {}{}{}\n", with_count(each.rows, "row"), each.setting,
                        name(each.status), each.detail.empty() ? "" : ": ", each.detail);
  return text.empty() ? text : text + "\n";
}

/// A line for each caveat that any row of a setting has.
std::string caveats_in_words(const Answer& answer) {
  std::map<std::string, std::vector<Caveat>> by_setting;
  for (const auto& measured : answer.cases) {
    for (const auto& setting : measured.settings) merge(by_setting[setting.name], setting.caveats);
  }
  return caveat_lines(by_setting);
}

}  // namespace

std::string in_words(const Answer& answer) {
  auto text = fmt::format("\n{}\n\n", answer.question);
  if (answer.time_sliced > 0)
    text += fmt::format(
        "{} row{} from ranks that share a GPU: such times do not measure the network and are not compared.\n",
        answer.time_sliced, answer.time_sliced == 1 ? " comes" : "s come");
  text += left_out_in_words(answer.left_out);
  if (answer.cases.empty())
    return text + "No launch produced a measurement; the rows in results.csv give the reasons.\n";
  text += ringmark::sweep::in_words(answer.slowdowns);
  std::vector<std::vector<std::string>> lines{
      {"measured", ">default (us)", ">best (us)", "best setting", "against the default"}};
  for (const auto& measured : answer.cases) {
    const auto time_us = [](const MeasuredSetting& setting) { return fmt::format("{:.1f}", median(setting.times_us)); };
    lines.push_back({fmt::format("{} {}", measured.name, format_size(measured.size_bytes)),
                     measured.default_setting ? time_us(measured.settings[*measured.default_setting]) : "-",
                     time_us(measured.best()), measured.best().name, verdict_on(measured)});
  }
  return text + print_table(std::move(lines)) + fmt::format("\ndefault: {}\n", answer.default_setting) +
         undecided_in_words(answer) + caveats_in_words(answer);
}

}  // namespace ringmark::sweep
