// The verdict on uplinks, from the rates while all hosts send at once.
#pragma once

#include <string>
#include <vector>

#include "accept/judge/signs.hpp"

namespace ringmark::accept {

struct UnderLoad {
  std::vector<SignedCulprit> culprits;
  std::vector<std::string> suspects;  ///< that need more scans
};

/// Leaves whose uplinks `rate` already blames, from pairs that share none, are left out. One slow uplink of a leaf
/// makes all its uplinks slow under load, so that uplink is named instead where `rate` has it as likely.
UnderLoad judge_under_load(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                           const Verdict& rate);

}  // namespace ringmark::accept
