// The network as people look at it.
#pragma once

#include <string>

#include "lab/network.hpp"

namespace ringmark::lab {

/// Leaves down and spines across, with the rate of each uplink; below each leaf its hosts.
std::string draw_text(const Network& network);

/// Spines above leaves above hosts; each line has its link's name and rate as its title.
std::string draw_svg(const Network& network);

}  // namespace ringmark::lab
