#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::replay {
namespace {

Link link_of(const FitLink& link, const std::optional<double>& given_alpha_us, const FitLinks& links, const char* where,
             const char* flag) {
  const auto alpha_us = given_alpha_us ? given_alpha_us : link.alpha_us;
  if (!alpha_us) throw BadUsage(fmt::format("--fit: {}, or give {}", why_no_alpha(links, where), flag));
  return {*alpha_us, link.GBps};
}

}  // namespace

Link assumed_within(const Link& between) {
  constexpr double alpha_share = 3.4 / 14;  // as in NCCL's own tuning model
  return {between.alpha_us * alpha_share, between.GBps};
}

std::string why_no_alpha(const FitLinks& links, std::string_view where) {
  constexpr std::uint64_t small_bytes = 1024;
  const auto several = std::count_if(links.nodes.begin(), links.nodes.end(), [](int nodes) { return nodes > 1; });
  auto text = fmt::format("NCCL's times do not determine alpha {}", where);
  if (links.from_bytes > small_bytes) return text + ": also measure smaller sizes, from 1K up";
  text += ", because they do not separate it from a collective's launch time: ";
  if (where == "within nodes") return text + "all_reduce and all_gather on one node usually do";
  return text + (several == 1 ? "also measure other numbers of nodes"
                              : "all_reduce and all_gather on the same nodes usually do");
}

std::string source_of(const FitLinks& links) {
  auto source = fmt::format("fitted to NCCL's collectives of {} to {} on {} nodes, with a median error of {:.0f} %",
                            format_size(links.from_bytes), format_size(links.to_bytes), fmt::join(links.nodes, ", "),
                            links.residual_percent);
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
    throw BadUsage(fmt::format("the fit has NCCL links over {}: choose one network", fmt::join(names, ", ")));
  return found.empty() ? nullptr : found.front();
}

std::optional<Links> fitted_links(const Fit& fit, const FitChoice& choice, const GivenLinks& given) {
  const auto* chosen = links_in(fit, choice);
  if (chosen == nullptr || !chosen->between) return std::nullopt;
  const auto& links = *chosen;
  Links result{.between = link_of(*links.between, given.alpha_us, links, "between nodes", "--alpha-us"),
               .within = {},
               .ranks_per_node = links.ranks_per_node,
               .transport = Transport::nccl,
               .launch_us = links.launch_us};
  if (given.within_alpha_us && given.within_GBps) {
    result.within = Link{*given.within_alpha_us, *given.within_GBps};
  } else if (links.within) {
    result.within = link_of(*links.within, given.within_alpha_us, links, "within nodes", "--within-alpha-us");
  } else if (links.ranks_per_node > 1) {
    result.within = assumed_within(result.between);
    if (given.within_alpha_us) result.within->alpha_us = *given.within_alpha_us;
  }
  if (result.within && given.within_GBps) result.within->GBps = *given.within_GBps;
  result.miss_percent = links.residual_percent;
  result.source = source_of(links);
  if (given.alpha_us) result.source += "; alpha between nodes as given";
  if (given.within_alpha_us || given.within_GBps)
    result.source += fmt::format("; {} within nodes as given", !given.within_GBps      ? "alpha"
                                                               : given.within_alpha_us ? "links"
                                                                                       : "bandwidth");
  else if (!links.within && links.ranks_per_node > 1)
    result.source += "; the links within nodes are assumed, as no node was measured alone";
  return result;
}

}  // namespace ringmark::replay
