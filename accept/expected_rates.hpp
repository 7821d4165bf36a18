// Expected rates that the criteria do not state themselves: `expect: history` takes them from the cluster's own
// launches, `expect: {published: h100_sxm}` from published results.
#pragma once

#include <string>

#include "accept/criteria.hpp"
#include "history/input/record_run.hpp"

namespace ringmark::accept {

/// Fills in the bus bandwidth of the all_reduce over all hosts, with `history` also the rate of links, and returns
/// lines on where they come from; an empty text if the criteria ask for neither. Throws BadUsage if `history` has no
/// store, or if too little is known there.
std::string fill_in_expected_rates(Criteria& criteria, const history::HistoryOptions& options);

}  // namespace ringmark::accept
