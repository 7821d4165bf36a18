// Values of a network that were probably not meant.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/network.hpp"

namespace ringmark::replay {

/// A fit that misses its own times by more than this (median) has links that do not exist.
constexpr double most_miss_percent = 10;

/// A sentence for each bandwidth outside what the device's links, or a node's adapters, can have. It names the usual
/// value. Links of devices that do not ship are not judged. Another one for a fit that misses its
/// own times.
std::vector<std::string> doubts_of(const Links& links, const std::string& device);

}  // namespace ringmark::replay
