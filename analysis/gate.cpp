#include "analysis/gate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

/// Launches of each side that would show a difference of the limit, if they scatter as these do.
std::size_t enough_launches(const Comparison& each, double limit_percent) {
  const double have = static_cast<double>(std::min(each.launches, each.baseline_launches));
  const double factor = std::log(each.detectable_ratio.value_or(1)) / std::log1p(limit_percent / 100);
  return static_cast<std::size_t>(std::ceil(have * factor * factor));
}

/// Why the comparison cannot be decided; empty if it can.
std::string why_undecided(const Comparison& each, double limit_percent) {
  constexpr std::size_t too_many = 50;
  const auto launches = fmt::format("{} against {} launches", each.launches, each.baseline_launches);
  if (forbid_decision(each.caveats) != forbid_decision(each.baseline_caveats))
    return fmt::format("one side alone is in doubt: {}", in_words(each.all_caveats()));
  constexpr double nobody_asks = 10;
  if (each.detectable_ratio.value_or(nobody_asks) >= nobody_asks)
    return fmt::format("{} are too few to tell: give five of each", launches);
  const double detectable_percent = 100 * (*each.detectable_ratio - 1);
  if (detectable_percent > limit_percent) {
    auto why = fmt::format("with {} that scatter like these, no difference below {:.1f} % can be shown", launches,
                           detectable_percent);
    if (each.algorithms_used.size() > 1)
      return why + fmt::format("; they used {}: give --algorithm", fmt::join(each.algorithms_used, " and "));
    const auto enough = enough_launches(each, limit_percent);
    return why + (enough < too_many ? fmt::format("; about {} of each would do", enough)
                                    : std::string("; leave this size out, or allow more"));
  }
  if (may_be_slower_than(each, limit_percent))
    return fmt::format("the medians of {} are {} apart, which is not shown to be a difference", launches,
                       difference_words(each.ratio));
  return "";
}

}  // namespace

GateFinding judge(const CompareResult& result, double limit_percent) {
  GateFinding finding;
  for (const auto& each : result.comparisons) {
    if (is_slower_than(each, limit_percent)) {
      ++finding.slower;
    } else if (const auto why = why_undecided(each, limit_percent); !why.empty()) {
      finding.undecided.push_back(fmt::format("{}{}{} {}, {}: {}", each.thing, each.setting.empty() ? "" : ", ",
                                              each.setting, format_size(each.size_bytes), shown(each.value), why));
    }
  }
  for (const auto* lines : {&result.refused, &result.unmatched})
    finding.undecided.insert(finding.undecided.end(), lines->begin(), lines->end());
  return finding;
}

std::string print(const GateFinding& finding, double limit_percent) {
  constexpr std::size_t most = 20;
  auto text = fmt::format("gate: {} shown slower by more than {} %", finding.slower, limit_percent);
  if (finding.undecided.empty()) return text + "\n";
  text += fmt::format("; it cannot tell of {}:\n", finding.undecided.size());
  for (std::size_t i = 0; i < std::min(most, finding.undecided.size()); ++i)
    text += fmt::format("  undecided: {}\n", finding.undecided[i]);
  if (finding.undecided.size() > most) text += fmt::format("  … and {} more\n", finding.undecided.size() - most);
  return text;
}

}  // namespace ringmark::analysis
