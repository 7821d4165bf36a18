// The verdict on uplinks, from the rates while all hosts send at once.
#pragma once

#include <string>
#include <vector>

#include "accept/judge/signs.hpp"

namespace ringmark::accept {

struct UnderLoad {
  std::vector<SignedCulprit> culprits;
  std::vector<std::string> suspects;  ///< parts that need more scans
};

/// Leaves out the leaves whose uplinks `rate`, from pairs that share no uplinks, already blames. One slow uplink makes
/// all uplinks of its leaf slow under load, so if `rate` lists it as likely, it is named instead of the leaf.
UnderLoad judge_under_load(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                           const Verdict& rate);

}  // namespace ringmark::accept
