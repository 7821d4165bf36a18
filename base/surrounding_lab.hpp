// Environment variables that ringmark-lab sets for the programs it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark {

/// JSON: {"hosts": […], "leaves": {"leaf1": […]}, "spines": 2, "rails": 2}.
inline constexpr auto lab_fabric_variable = "RINGMARK_LAB_FABRIC";
/// JSON: the shaped links, as LabLink.
inline constexpr auto lab_links_variable = "RINGMARK_LAB_LINKS";

/// A host's NICs count as one link, and so do a leaf's uplinks.
struct LabLink {
  std::string name;
  std::vector<std::string> hosts;  ///< behind this link
  double bits_per_s = 0;

  bool operator==(const LabLink&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LabLink, name, hosts, bits_per_s)

struct Lab {
  std::vector<std::string> hosts;
  std::vector<LabLink> links;  ///< links that have a rate

  bool operator==(const Lab&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Lab, hosts, links)

/// Empty outside a lab. Throws BadUsage, naming the variable, for text that no lab sets.
std::optional<Lab> surrounding_lab();

/// The rate of a host's own link; empty for other hosts, and for hosts without a rate.
std::optional<double> link_bits_per_s(const Lab& lab, const std::string& host);

}  // namespace ringmark
