#include "results/record.hpp"

namespace ringmark {

std::string_view Record::setting(const std::string& key) const {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string_view() : found->second;
}

std::vector<Caveat> caveats_of(const Record& row) {
  const auto as_figure = [](const std::optional<std::uint64_t>& count) {
    return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
  };
  auto caveats = row.detail.caveats();
  merge(caveats, caveats_of_figures({.time_us_p50 = row.time_us_p50,
                                     .time_us_ci_low = row.time_us_ci_low,
                                     .time_us_ci_high = row.time_us_ci_high,
                                     .retransmits = as_figure(row.retransmits),
                                     .samples = static_cast<double>(row.samples)}));
  return caveats;
}

}  // namespace ringmark
