// The fabric as a lab reports it, so that criteria need not repeat it.
#pragma once

#include <string>

#include "accept/fabric/fabric.hpp"
#include "base/surrounding_lab.hpp"

namespace ringmark::accept {

/// True for each part of the fabric that the criteria give themselves.
struct GivenFabric {
  bool spines = false, rails = false, leaves = false;
};

/// Fills in what the criteria omit: the hosts, and if all hosts belong to the lab, the rest. Returns whether they do.
/// Text that does not describe a fabric changes nothing.
bool fill_from_lab(const std::string& lab, Fabric& fabric, const GivenFabric& given);

}  // namespace ringmark::accept
