// Checks fitted rates against the rate of a link, which no collective between hosts can exceed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// Drops models whose rate is above the link's if they are based on only two sizes, since a line through two points
/// always fits. Appends a note for each of these and for other rates above the link's. The link's rate is `link_GBps`,
/// or else the one that ringmark-link measured on the model's network. Keeps models within a host and models of links.
/// Drops NCCL's links if a node would need more than one link for each of its ranks.
void judge_rates(Fit& fit, const Table& table, const std::vector<std::size_t>& rows, std::optional<double> link_GBps,
                 std::vector<std::string>& notes);

}  // namespace ringmark::analysis
