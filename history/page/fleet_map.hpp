// The hosts of a fleet week by week, as percentages of the fleet.
#pragma once

#include "history/answers/fleets.hpp"
#include "history/page/series_chart.hpp"

namespace ringmark::history {

/// `weeks`: when each begins. `hosts`: [name, percentages], the worst first; a percentage is the speed of this host's
/// launches in a week relative to that of the median host's, null for weeks without the host.
PageJson fleet_map(const Fleet& fleet);

}  // namespace ringmark::history
