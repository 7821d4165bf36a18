// Fitted rates against the rate of a link, which no collective between hosts can exceed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// Drops models whose rate is above the link's where nothing but two sizes supports it, since a line through two points
/// always fits; names in notes these and the other rates above the link's. The link's rate is `link_GBps`, else the one
/// that ringmark-link measured on the model's network. Models within a host, and of links, stay. NCCL's links are
/// dropped where a node would have more than a link for each of its ranks.
void judge_rates(Fit& fit, const Table& table, const std::vector<std::size_t>& rows, std::optional<double> link_GBps,
                 std::vector<std::string>& notes);

}  // namespace ringmark::analysis
