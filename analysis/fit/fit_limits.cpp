#include "analysis/fit/fit_limits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/compare/waterfall.hpp"
#include "base/text/text_table.hpp"
#include "replay/predict/fit_prediction.hpp"

namespace ringmark::analysis {
namespace {

std::optional<double> link_GBps_of(const Table& table, const std::vector<std::size_t>& rows,
                                   const std::string& network) {
  std::vector<std::size_t> some;
  for (const auto row : rows) {
    if (table.text("network")[row] == network) some.push_back(row);
  }
  return point_to_point_GBps(table, some);
}

bool is_between_hosts(const FitModel& model) {
  const auto most = std::max_element(model.ranks.begin(), model.ranks.end());
  return !is_point_to_point(model.collective) && most != model.ranks.end() && *most > model.ranks_per_node;
}

}  // namespace

void judge_rates(Fit& fit, const Table& table, const std::vector<std::size_t>& rows, std::optional<double> link_GBps,
                 std::vector<std::string>& notes) {
  constexpr double noise = 1.05, two_sizes = 2;
  std::erase_if(fit.models, [&](const FitModel& model) {
    const auto limit = link_GBps ? link_GBps : link_GBps_of(table, rows, model.network);
    if (!limit || !is_between_hosts(model)) return false;
    for (const auto& segment : model.segments) {
      const double GBps = segment.beta_us_per_byte > 0 ? 1 / segment.beta_us_per_byte / 1e3 : 0;
      if (GBps <= noise * *limit) continue;
      const auto called = fmt::format("{} {} by {}: {} GB/s is above the link's {} GB/s", model.transport,
                                      model.collective, model.algorithm, short_number(GBps), short_number(*limit));
      if (segment.points <= two_sizes) {
        notes.push_back(fmt::format(
            "not fitted: {}, and a line fits any two sizes exactly; measure more sizes, including larger ones",
            called));
        return true;
      }
      notes.push_back(fmt::format("doubtful: {}; measure larger sizes, unless the hosts have several links", called));
    }
    return false;
  });
  // A node has at most one adapter for each of its ranks.
  std::erase_if(fit.links, [&](const FitLinks& links) {
    const auto limit = link_GBps ? link_GBps : link_GBps_of(table, rows, links.network);
    if (!limit || !links.between || links.between->GBps <= noise * *limit * links.ranks_per_node) return false;
    notes.push_back(
        fmt::format("not fitted: NCCL's links: {} GB/s per node is above {} links of {} GB/s; measure larger sizes, "
                    "and all_gather "
                    "as well",
                    short_number(links.between->GBps), links.ranks_per_node, short_number(*limit)));
    return true;
  });
}

}  // namespace ringmark::analysis
