// expect: history, which takes the expected rates from the cluster's own launches.
#pragma once

#include <string>

#include "accept/criteria.hpp"
#include "history/input/record_run.hpp"

namespace ringmark::accept {

/// Fills in the expected rates of the all_reduce over all hosts and of links, and returns a line on where they come
/// from. Does nothing, and returns nothing, unless the criteria expect what is usual. Throws BadUsage without a store,
/// and if the store has too few launches of either.
std::string expect_what_is_usual(Criteria& criteria, const history::HistoryOptions& options);

}  // namespace ringmark::accept
