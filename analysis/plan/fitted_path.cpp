#include "analysis/plan/fitted_path.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::analysis {
namespace {

/// The alpha of the longest messages that determine it. Throws BadUsage if none do.
double alpha_us_of(const FitModel& model) {
  const auto& segments = model.segments;
  const auto shown =
      std::find_if(segments.rbegin(), segments.rend(), [](const FitSegment& each) { return each.alpha_us > 0; });
  if (shown != segments.rend()) return shown->alpha_us;
  throw BadUsage(
      fmt::format("the fit of {} {} does not determine alpha; measure smaller sizes by {} as well, or give alpha_us "
                  "next to transport",
                  model.transport, model.collective, model.algorithm));
}

PathCost path_by_links(const FitLinks& links, PathKind kind, std::optional<double> alpha_us) {
  const bool is_within = kind == PathKind::within_node;
  const auto& link = is_within ? links.within : links.between;
  if (!link)
    throw BadUsage(
        is_within ? "the fit has no NCCL measurements of a single node; measure one, or give alpha_us and GBps"
                  : "the fit has NCCL measurements of one node only; measure two or more, or give alpha_us and GBps");
  if (!alpha_us && !link->alpha_us)
    throw BadUsage(fmt::format("the fit: {}, or give alpha_us next to transport",
                               replay::why_no_alpha(links, is_within ? "within nodes" : "between nodes")));
  PathCost cost{.alpha_us = alpha_us ? *alpha_us : *link->alpha_us, .GBps = link->GBps};
  cost.launch_us = links.launch_us;
  cost.miss_percent = links.residual_percent;
  cost.source = replay::source_of(links) + (alpha_us ? ", alpha as given" : "");
  cost.is_fitted = true;
  cost.fitted_ranks = links.nodes.empty() ? 0 : links.nodes.back() * links.ranks_per_node;
  return cost;
}

}  // namespace

PathCost fitted_path(const Fit& fit, PathKind kind, Transport transport, const std::string& network,
                     std::optional<double> alpha_us) {
  if (const auto* links = replay::links_in(fit, {std::string(name(transport)), network, {}}))
    return path_by_links(*links, kind, alpha_us);
  std::vector<const FitModel*> found;
  std::vector<std::string> names;
  for (const auto& model : fit.models) {
    if (model.transport != name(transport) || (!network.empty() && model.network != network)) continue;
    if (model.collective != "all_reduce" || model.in_place != 0) continue;
    if (model.algorithm != "ring" && model.algorithm != "tree") continue;
    if (model.segments.back().beta_us_per_byte <= 0) continue;
    found.push_back(&model);
    names.push_back(
        fmt::format("{} {} {} {} {}", model.network, model.datatype, model.op, model.timing, model.settings));
  }
  const auto path = std::string(name(transport)) + (network.empty() ? "" : " over " + network);
  if (found.empty()) throw BadUsage(fmt::format("the fit has no all_reduce of {} by a ring or a tree", path));
  if (found.size() > 1) {
    throw BadUsage(
        fmt::format("the fit has several of {} ({}); fit only the one you want", path, fmt::join(names, "; ")));
  }
  const auto& model = *found.front();
  PathCost cost;
  cost.alpha_us = alpha_us ? *alpha_us : alpha_us_of(model);
  cost.GBps = 1 / model.segments.back().beta_us_per_byte / 1e3;
  if (const auto* burst = burst_of(fit, model.transport, model.network)) cost.burst_bytes = burst->bytes;
  cost.source = fmt::format("fit of {} {} {} all_reduce: {} to {} B on {} ranks, {} launches from {} to {}, runs {}",
                            model.transport, model.network, model.algorithm, model.from_bytes, model.to_bytes,
                            fmt::join(model.ranks, ", "), model.launches, model.first_utc, model.last_utc,
                            fmt::join(model.run_ids, " "));
  if (alpha_us) cost.source += ", alpha as given";
  if (!model.hosts.empty()) cost.source += fmt::format(", on {}", fmt::join(model.hosts, " "));
  if (cost.burst_bytes > 0) cost.source += fmt::format("; {:.0f} B at once after a rest", cost.burst_bytes);
  if (!model.caveats.empty()) cost.source += fmt::format("; in doubt: {}", in_words(model.caveats));
  cost.transport = transport;
  cost.is_fitted = true;
  for (const int ranks : model.ranks) cost.fitted_ranks = std::max(cost.fitted_ranks, ranks);
  return cost;
}

}  // namespace ringmark::analysis
