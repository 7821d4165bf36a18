// The fabric as a cluster in a box tells it, so that criteria need not repeat it.
#pragma once

#include <string>

#include "accept/fabric.hpp"
#include "base/surrounding_lab.hpp"

namespace ringmark::accept {

/// True for each part of the fabric that the criteria state themselves.
struct GivenFabric {
  bool spines = false, rails = false, leaves = false;
};

/// Adds what is not given: hosts if there are none, and the rest if all hosts are of the lab. Returns whether they are.
/// Text that tells no fabric changes nothing.
bool fill_from_lab(const std::string& lab, Fabric& fabric, const GivenFabric& given);

}  // namespace ringmark::accept
