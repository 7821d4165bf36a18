// Values of a network that were probably not meant.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/network.hpp"

namespace ringmark::replay {

/// A sentence for each bandwidth outside what the device's links, or a node's adapters, can have. It names the usual
/// value. Links of devices that do not ship are not judged.
std::vector<std::string> doubts_of(const Links& links, const std::string& device);

}  // namespace ringmark::replay
