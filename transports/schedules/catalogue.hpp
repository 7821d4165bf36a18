// Every schedule by collective and name, and the choice that `auto` makes.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "transports/operation.hpp"
#include "transports/schedules/schedule.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// Names of the algorithms that exist for a collective.
std::vector<std::string_view> algorithms_for(Collective collective);

/// Null if the collective has no algorithm of that name. `root` counts for rooted collectives only.
std::unique_ptr<Schedule> make_schedule(Collective collective, std::string_view algorithm, const Topology& topology,
                                        int root = 0);

/// The algorithm for an operation of total_bytes (layout_of) when the user leaves the choice to us: fewest steps for
/// small vectors, fewest bytes for large ones.
std::string_view choose_algorithm(Collective collective, int ranks, std::size_t total_bytes);

}  // namespace ringmark
