// The head of a verdict: the cluster and its hosts, the criteria, and when it was measured.
#pragma once

#include <string>

#include "accept/criteria.hpp"
#include "results/page/head.hpp"

namespace ringmark::accept {

/// The run of ringmark-accept that a verdict comes from.
struct VerdictRun {
  std::string criteria_file;
  std::string first_utc, last_utc;  ///< of the measurements
};

PageHead head_of(const Criteria& criteria, const VerdictRun& run);

/// Comment lines for a terminal.
std::string in_words(const PageHead& head);

}  // namespace ringmark::accept
