#include "analysis/plan/fitted_path.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::analysis {

PathCost fitted_path(const Fit& fit, const std::string& transport, const std::string& network) {
  std::vector<const FitModel*> found;
  std::vector<std::string> names;
  for (const auto& model : fit.models) {
    if (model.transport != transport || (!network.empty() && model.network != network)) continue;
    if (model.collective != "all_reduce" || model.in_place != 0) continue;
    if (model.algorithm != "ring" && model.algorithm != "tree") continue;
    if (model.segments.back().beta_us_per_byte <= 0) continue;
    found.push_back(&model);
    names.push_back(
        fmt::format("{} {} {} {} {}", model.network, model.datatype, model.op, model.timing, model.settings));
  }
  const auto path = transport + (network.empty() ? "" : " over " + network);
  if (found.empty()) throw BadUsage(fmt::format("the fit has no all_reduce of {} by a ring or a tree", path));
  if (found.size() > 1) {
    throw BadUsage(
        fmt::format("the fit has several of {} ({}); fit the one that is meant", path, fmt::join(names, "; ")));
  }
  const auto& model = *found.front();
  if (model.segments.back().alpha_us <= 0) {
    throw BadUsage(fmt::format(
        "the fit of {} does not determine alpha; measure smaller sizes as well, or give alpha_us and GBps", path));
  }
  PathCost cost;
  cost.alpha_us = model.segments.back().alpha_us;
  cost.GBps = 1 / model.segments.back().beta_us_per_byte / 1e3;
  if (const auto* burst = burst_of(fit, model.transport, model.network)) cost.burst_bytes = burst->bytes;
  cost.source = fmt::format("fit of {} {} {} all_reduce: {} to {} B on {} ranks, {} launches from {} to {}, runs {}",
                            model.transport, model.network, model.algorithm, model.from_bytes, model.to_bytes,
                            fmt::join(model.ranks, ", "), model.launches, model.first_utc, model.last_utc,
                            fmt::join(model.run_ids, " "));
  if (!model.hosts.empty()) cost.source += fmt::format(", on {}", fmt::join(model.hosts, " "));
  if (cost.burst_bytes > 0) cost.source += fmt::format("; {:.0f} B at once after a rest", cost.burst_bytes);
  if (!model.caveats.empty()) cost.source += fmt::format("; in doubt: {}", in_words(model.caveats));
  cost.is_fitted = true;
  for (const int ranks : model.ranks) cost.fitted_ranks = std::max(cost.fitted_ranks, ranks);
  return cost;
}

}  // namespace ringmark::analysis
