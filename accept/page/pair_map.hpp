// The rates of all pairs as the data of the page's heat map.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "accept/stage_result.hpp"

namespace ringmark::accept {

/// The ends by name and how they can be arranged; the rate of each pair; the pairs of the parts that the findings
/// blame; and for each arrangement by leaf or rail, the rates between its groups.
nlohmann::ordered_json pair_map_json(const PairMap& map, const std::vector<Finding>& findings);

}  // namespace ringmark::accept
