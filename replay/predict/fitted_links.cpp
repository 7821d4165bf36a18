#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::replay {
namespace {

Link link_of(const FitLink& link, const char* where) {
  if (!link.alpha_us)
    throw BadUsage(
        fmt::format("--fit: the sizes that NCCL was measured with do not show alpha {}; measure from 1K on as well, or "
                    "give --alpha-us and --bandwidth-GBps ({:.4g} by the fit) instead of --fit",
                    where, link.GBps));
  return {*link.alpha_us, link.GBps};
}

}  // namespace

Link assumed_within(const Link& between) {
  constexpr double alpha_share = 3.4 / 14;  // as in NCCL's own tuning model
  return {between.alpha_us * alpha_share, between.GBps};
}

std::string source_of(const FitLinks& links) {
  auto source = fmt::format(
      "fitted to NCCL's collectives of {} to {} on {} nodes, whose times they miss by {:.0f} % (median)",
      format_size(links.from_bytes), format_size(links.to_bytes), fmt::join(links.nodes, ", "), links.residual_percent);
  if (!links.run_ids.empty()) source += fmt::format(", runs {}", fmt::join(links.run_ids, " "));
  if (!links.hosts.empty()) source += fmt::format(", on {}", fmt::join(links.hosts, " "));
  if (!links.caveats.empty()) source += fmt::format("; in doubt: {}", in_words(links.caveats));
  return source;
}

const FitLinks* links_in(const Fit& fit, const FitChoice& choice) {
  const auto is_nccls = [](const FitModel& model) { return model.transport == name(Transport::nccl); };
  if (choice.transport.empty() ? !std::all_of(fit.models.begin(), fit.models.end(), is_nccls)
                               : choice.transport != name(Transport::nccl))
    return nullptr;
  std::vector<const FitLinks*> found;
  std::vector<std::string> names;
  for (const auto& links : fit.links) {
    if (!choice.network.empty() && links.network != choice.network) continue;
    if (links.settings != choice.settings.value_or(fit.links.size() == 1 ? links.settings : "")) continue;
    found.push_back(&links);
    names.push_back(links.network.empty() ? "an unknown network" : links.network);
  }
  if (found.size() > 1)
    throw BadUsage(fmt::format("the fit has links of NCCL over {}: choose one network", fmt::join(names, ", ")));
  return found.empty() ? nullptr : found.front();
}

std::optional<Links> fitted_links(const Fit& fit, const FitChoice& choice) {
  const auto* chosen = links_in(fit, choice);
  if (chosen == nullptr || !chosen->between) return std::nullopt;
  const auto& links = *chosen;
  Links result{.between = link_of(*links.between, "between nodes"),
               .within = {},
               .ranks_per_node = links.ranks_per_node,
               .transport = Transport::nccl,
               .launch_us = links.launch_us};
  if (links.within) result.within = link_of(*links.within, "within nodes");
  if (!links.within && links.ranks_per_node > 1) result.within = assumed_within(result.between);
  result.source = source_of(links);
  if (!links.within && links.ranks_per_node > 1)
    result.source += "; none was measured alone, so the links within nodes are assumed";
  return result;
}

}  // namespace ringmark::replay
