// The links that explain NCCL's measured times: one alpha and bandwidth for all collectives, sizes and numbers of
// nodes.
#pragma once

#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// For each network and setting of NCCL that was measured on several nodes, or on one. Uses only rows that report their
/// nodes and leave the algorithm and protocol to NCCL. Appends notes on what the rows do not determine.
std::vector<FitLinks> fit_links(const Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::string>& notes);

/// For a person: two lines for each.
std::string print(const std::vector<FitLinks>& all);

}  // namespace ringmark::analysis
