// A mix of groups that run different operations concurrently, as described by a YAML file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/mix/fair_share.hpp"
#include "bench/mix/mix_groups.hpp"

namespace ringmark::mix {

struct Mix {
  std::vector<MixGroup> groups;
  std::vector<CutLink> links;
  std::optional<double> host_bits_per_s;  ///< of each host's own link
};

/// Throws BadUsage with all problems of the file.
Mix read_mix(const std::string& path);

/// "1gbit", "500mbit", "64kbit" or bits per second.
std::optional<double> parse_bit_rate(std::string_view text);

}  // namespace ringmark::mix
