// Drawings of the network for people.
#pragma once

#include <string>

#include "lab/network.hpp"

namespace ringmark::lab {

/// Leaves as rows and spines as columns, with the rate of each uplink; each leaf is followed by its hosts.
std::string draw_text(const Network& network);

/// Spines above leaves above hosts; each line has its link's name and rate as a tooltip.
std::string draw_svg(const Network& network);

}  // namespace ringmark::lab
