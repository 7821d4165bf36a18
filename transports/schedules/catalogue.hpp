// Every schedule by collective and name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// Names of the algorithms that exist for a collective.
std::vector<std::string_view> algorithms_for(Collective collective);
bool has_algorithm(Collective collective, std::string_view algorithm);

/// Null if the collective has no algorithm with that name. Only rooted collectives use `root`, and only send_recv uses
/// `pattern`.
std::unique_ptr<Schedule> make_schedule(Collective collective, std::string_view algorithm, const Topology& topology,
                                        int root = 0, Pattern pattern = Pattern::ring);

}  // namespace ringmark
