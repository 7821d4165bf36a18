// Finds values of a network that are probably mistakes.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/network.hpp"

namespace ringmark::replay {

/// The links of a fit with a larger median error on its own times are not real ones.
constexpr double most_miss_percent = 10;

/// A sentence for each bandwidth that the device's links or a node's adapters cannot have, with the usual value, and
/// one for a fit that misses its own times. Links of devices that do not ship are not judged.
std::vector<std::string> doubts_of(const Links& links, const std::string& device);

}  // namespace ringmark::replay
