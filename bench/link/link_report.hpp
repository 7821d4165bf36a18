// The output of ringmark-link: a line per measurement, and matrices in which a slow link stands out.
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// The lines of a run so far, for one record.
std::string link_header();
std::string link_line(const Record& record);

/// For each test and size with more than one pair: sources down, destinations across. Links much worse than the
/// better quartile of all are marked and listed, the worst first, and a host that they have in common. `hosts` names
/// the ranks.
std::string link_matrices(const std::vector<Record>& records, const std::vector<std::string>& hosts);

}  // namespace ringmark
