// The verdict on uplinks from the rates while all hosts send at once.
#pragma once

#include <string>
#include <vector>

#include "accept/signs.hpp"

namespace ringmark::accept {

struct UnderLoad {
  std::vector<SignedCulprit> culprits;
  std::vector<std::string> suspects;  ///< that more scans have to show
};

/// Leaves whose uplinks `rate` names already, from pairs that share none, are left out. One of a leaf's uplinks that is
/// slow makes all of them slow under load: it is named instead where `rate` has it as likely.
UnderLoad judge_under_load(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                           const Verdict& rate);

}  // namespace ringmark::accept
