// The subcommands of ringmark-analyze.
#pragma once

#include "base/flags/command.hpp"

namespace ringmark::analysis {

AddCommand add_compare, add_fit, add_job, add_portability, add_stragglers, add_recommend, add_plan, add_report;

}  // namespace ringmark::analysis
