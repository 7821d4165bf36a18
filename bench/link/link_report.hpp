// The output of ringmark-link: a line per measurement, and matrices in which a slow link stands out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/link/link_findings.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

/// Each lost rank with the reason; empty if there are none. `hosts` has the host of each rank.
std::string lost_in_words(const std::map<int, std::string>& lost, const std::vector<std::string>& hosts);

/// The lines for one record of a run in progress.
std::string link_header();
std::string link_line(const Record& record);

/// A matrix for each table of findings: sources in rows, destinations in columns, slow links marked.
std::string link_matrices(const std::vector<LinkFindings>& findings, const std::vector<Record>& records, int ranks);

/// The total rate at which the two halves of a bisection exchange messages, for each size.
std::string bisection_in_words(const std::vector<Record>& records);

}  // namespace ringmark
