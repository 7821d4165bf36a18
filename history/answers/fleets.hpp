// The hosts of a cluster as series of their own, to find those that drift away from the others.
#pragma once

#include <string>
#include <vector>

#include "history/answers/chains.hpp"
#include "history/questions/odd.hpp"

namespace ringmark::history {

/// The hosts that took part in launches of one kind: "all_reduce, 1M and more".
struct Fleet {
  std::string kind;
  std::vector<HostSeries> hosts;
};

/// A host's value in a launch is the geometric mean of times over the median times of their series, of its links or of
/// the collectives that it took part in. Fleets of which every launch had all hosts, and no link, say nothing about one
/// host and are left out.
std::vector<Fleet> fleets_of(Store& store, const std::vector<Series>& series, const Selection& selection);

}  // namespace ringmark::history
