#include "results/schema/record.hpp"

namespace ringmark {

std::vector<Caveat> caveats_of(const Record& row) {
  const auto as_figure = [](const std::optional<std::uint64_t>& count) {
    return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
  };
  auto caveats = row.caveats;
  merge(caveats, caveats_of_figures({.time_us_p50 = row.time_us_p50,
                                     .time_us_ci_low = row.time_us_ci_low,
                                     .time_us_ci_high = row.time_us_ci_high,
                                     .retransmits = as_figure(row.retransmits),
                                     .samples = static_cast<double>(row.samples)}));
  return caveats;
}

void add_remark(Record& row, std::string_view words) {
  if (words.empty()) return;
  if (!row.detail.empty()) row.detail += "; ";
  row.detail += words;
}

std::string remarks_on(const Record& row) {
  const auto caveats = in_words(row.caveats);
  return row.detail + (row.detail.empty() || caveats.empty() ? "" : "; ") + caveats;
}

}  // namespace ringmark
