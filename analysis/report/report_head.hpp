// The head of a report: what was asked and timed, where, when, and with which settings.
#pragma once

#include <string>
#include <vector>

#include "analysis/read/run_facts.hpp"
#include "analysis/report/measured.hpp"
#include "results/page/head.hpp"

namespace ringmark::analysis {

PageHead head_of(const Measured& of, const std::vector<RunFact>& facts);

}  // namespace ringmark::analysis
