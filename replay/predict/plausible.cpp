#include "replay/predict/plausible.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/text_table.hpp"

namespace ringmark::replay {
namespace {

struct NodeLink {
  std::string_view device, name;
  double GBps;  ///< per GPU, each way, from the vendor's datasheet
};
constexpr std::array node_links{NodeLink{"v100", "NVLink 2", 150},          NodeLink{"a10", "PCIe 4.0 x16", 32},
                                NodeLink{"a100", "NVLink 3", 300},          NodeLink{"a100-40", "NVLink 3", 300},
                                NodeLink{"h100", "NVLink 4", 450},          NodeLink{"h200", "NVLink 4", 450},
                                NodeLink{"h100-nvl", "NVLink 4", 300},      NodeLink{"b200", "NVLink 5", 900},
                                NodeLink{"b300", "NVLink 5", 900},          NodeLink{"gb200", "NVLink 5", 900},
                                NodeLink{"gb300", "NVLink 5", 900},         NodeLink{"mi300x", "Infinity Fabric", 448},
                                NodeLink{"mi325x", "Infinity Fabric", 448}, NodeLink{"mi355x", "Infinity Fabric", 538}};

/// Eight adapters of 800 Gbit/s.
constexpr double most_node_GBps = 800;
/// GB/s per GPU of the adapters of common nodes with eight GPUs: DGX A100 has adapters of 200 Gbit/s, DGX H100 and P5
/// have 400 Gbit/s.
constexpr std::array<std::pair<std::string_view, double>, 6> adapters{
    {{"a100", 25}, {"a100-40", 25}, {"h100", 50}, {"h200", 50}, {"mi300x", 50}, {"mi325x", 50}}};
/// Collectives reach 0.7 to 0.9 of a link's bandwidth; a share below least_share must be of another link.
constexpr double least_share = 0.25, most_share = 1.05;

std::optional<NodeLink> link_of(const std::string& device) {
  const auto found =
      std::find_if(node_links.begin(), node_links.end(), [&](const auto& link) { return link.device == device; });
  return found == node_links.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<std::string> doubts_of(const Links& links, const std::string& device) {
  std::vector<std::string> doubts;
  if (links.miss_percent > most_miss_percent)
    doubts.push_back(fmt::format(
        "the fit of NCCL's links has a median error of {:.0f} % on its own times: fit only the collectives of this "
        "step (all_reduce for DDP and ZeRO 0 to 2, all_gather and reduce_scatter for ZeRO 3 and FSDP)",
        links.miss_percent));
  const bool is_of_node = links.within.has_value();
  if (links.between.GBps > most_node_GBps && links.between.GBps < unlimited_GBps)
    doubts.push_back(
        fmt::format("{} GB/s between nodes is more than adapters can have: bandwidths are in bytes, each way, for {}; "
                    "eight adapters of 400 Gbit/s are 400 GB/s",
                    short_number(links.between.GBps), is_of_node ? "a node" : "a rank"));
  const auto found =
      std::find_if(adapters.begin(), adapters.end(), [&](const auto& each) { return each.first == device; });
  const bool has_adapters = is_of_node && found != adapters.end() && links.ranks_per_node > 1;
  if (links.between.GBps <= most_node_GBps && has_adapters && links.between.GBps < unlimited_GBps) {
    const double usual = found->second * links.ranks_per_node;
    if (links.between.GBps > most_share * usual)
      doubts.push_back(
          fmt::format("{} GB/s between nodes of {} is more than the adapters of a common node have: one of {} Gbit/s "
                      "per GPU, {} GB/s per node each way",
                      short_number(links.between.GBps), device, short_number(found->second * 8), short_number(usual)));
  }
  const auto link = link_of(device);
  if (!link || !links.within || links.ranks_per_node < 2) return doubts;
  const double GBps = links.within->GBps;
  if (GBps < least_share * link->GBps || GBps > most_share * link->GBps)
    doubts.push_back(
        fmt::format("{} GB/s within a node of {} is unusual: {} has {} GB/s per GPU each way, and collectives reach 70 "
                    "to 90 % of it",
                    short_number(GBps), device, link->name, short_number(link->GBps)));
  return doubts;
}

}  // namespace ringmark::replay
