#include "replay/predict/plausible.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text_table.hpp"

namespace ringmark::replay {
namespace {

struct NodeLink {
  std::string_view device, name;
  double GBps;  ///< of a GPU, each way, by the vendor's datasheet
};
constexpr std::array node_links{NodeLink{"v100", "NVLink 2", 150},          NodeLink{"a10", "PCIe 4.0 x16", 32},
                                NodeLink{"a100", "NVLink 3", 300},          NodeLink{"a100-40", "NVLink 3", 300},
                                NodeLink{"h100", "NVLink 4", 450},          NodeLink{"h200", "NVLink 4", 450},
                                NodeLink{"h100-nvl", "NVLink 4", 300},      NodeLink{"b200", "NVLink 5", 900},
                                NodeLink{"b300", "NVLink 5", 900},          NodeLink{"gb200", "NVLink 5", 900},
                                NodeLink{"gb300", "NVLink 5", 900},         NodeLink{"mi300x", "Infinity Fabric", 448},
                                NodeLink{"mi325x", "Infinity Fabric", 448}, NodeLink{"mi355x", "Infinity Fabric", 538}};

/// Eight adapters of 800 Gbit/s, and a little more.
constexpr double most_node_GBps = 900;
/// Collectives reach 0.7 to 0.9 of a link; a share below this one is of another link.
constexpr double least_share = 0.25, most_share = 1.05;

std::optional<NodeLink> link_of(const std::string& device) {
  const auto found =
      std::find_if(node_links.begin(), node_links.end(), [&](const auto& link) { return link.device == device; });
  return found == node_links.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<std::string> doubts_of(const Links& links, const std::string& device) {
  std::vector<std::string> doubts;
  const bool is_of_node = links.within.has_value();
  if (links.between.GBps > most_node_GBps && links.between.GBps < unlimited_GBps)
    doubts.push_back(
        fmt::format("{} GB/s between nodes is more than adapters have: bandwidths are in bytes, each way, of {}; eight "
                    "adapters of 400 Gbit/s are 400 GB/s",
                    short_number(links.between.GBps), is_of_node ? "a node" : "a rank"));
  const auto link = link_of(device);
  if (!link || !links.within || links.ranks_per_node < 2) return doubts;
  const double GBps = links.within->GBps;
  if (GBps < least_share * link->GBps || GBps > most_share * link->GBps)
    doubts.push_back(
        fmt::format("{} GB/s within a node of {} is unusual: {} has {} GB/s of a GPU each way, of which "
                    "collectives reach 70 to 90 %",
                    short_number(GBps), device, link->name, short_number(link->GBps)));
  return doubts;
}

}  // namespace ringmark::replay
