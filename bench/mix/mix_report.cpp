#include "bench/mix/mix_report.hpp"

#include <fmt/format.h>

#include "base/units.hpp"

namespace ringmark::mix {
namespace {

std::string shown(const std::optional<Ratio>& ratio) {
  if (!ratio) return "-";
  if (!ratio->interval) return fmt::format("{:.3f}", ratio->value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio->value, ratio->interval->low, ratio->interval->high);
}

std::string rate(double bytes, double time_us) {
  return bytes == 0 || time_us == 0 ? "-" : fmt::format("{:.4f}", bytes / time_us / 1e3);
}

}  // namespace

std::string in_words(const std::vector<GroupResult>& results) {
  std::string text = "#\n# slowdown: time together with the others / time alone, and its 95 % interval over rounds\n";
  text += fmt::format("# {:>12} {:>5} {:>14} {:>6} {:>10} {:>11}  {:>25}  {:>25}\n", "group", "ranks", "operation",
                      "size", "alone us", "together us", "slowdown", "at the 99th percentile");
  for (const auto& result : results) {
    const auto& group = *result.group;
    text +=
        fmt::format("{:>14} {:>5} {:>14} {:>6} {:>10.1f} {:>11.1f}  {:>25}  {:>25}{}\n", group.name, group.ranks.size(),
                    name(group.collective), format_size(group.size_bytes), result.alone_us, result.together_us,
                    shown(result.slowdown.median), shown(result.slowdown.p99), group.is_congestor ? "  (load)" : "");
  }
  bool has_shares = false;
  for (const auto& result : results) has_shares = has_shares || result.fair_us.has_value();
  if (!has_shares) return text + "# no max-min share: link rates are unknown, or a library moves the bytes\n";
  text += "#\n# GB/s on each group's busiest link: alone, together with the others, and its max-min share\n";
  text += fmt::format("# {:>12} {:>10} {:>10} {:>10}  {}\n", "group", "alone", "together", "share", "full link");
  for (const auto& result : results) {
    text += fmt::format("{:>14} {:>10} {:>10} {:>10}  {}\n", result.group->name,
                        rate(result.busiest_bytes, result.alone_us), rate(result.busiest_bytes, result.together_us),
                        rate(result.busiest_bytes, result.fair_us.value_or(0)), result.link.value_or("none"));
  }
  return text;
}

}  // namespace ringmark::mix
