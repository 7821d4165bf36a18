// What a link lets through at once after it has rested, from what ringmark-link measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/read_results.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// Its name in a row's `collective`.
constexpr std::string_view burst_test = "burst";

/// Of each path that has rows of the tests `burst` and `bandwidth`: what is missing from the time that the bandwidth
/// gives for the burst's message, as bytes in whole KiB. `latency` is taken off if it was measured. Notes say what
/// could not be told. The rows are of links between hosts: those within one would be taken for them.
std::vector<FitBurst> bursts_in(const Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::string>& notes);

}  // namespace ringmark::analysis
