// Which hosts are behind the same switch, inferred from response times.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmark::accept {

/// With fewer hosts, random variation would too often look like switches.
constexpr std::size_t fewest_hosts_for_groups = 6;

/// Groups of hosts that answer each other sooner than any other host. `answers_us[i][j]` is the shortest response time
/// between hosts i and j, the same both ways. Hosts that are slow to all others do no harm. Empty unless all hosts
/// agree on the groups and response times within them are clearly shorter: every host is in a group with at least one
/// other host, and there are at least two groups.
std::vector<std::vector<std::size_t>> groups_of_near_hosts(const std::vector<std::vector<double>>& answers_us);

}  // namespace ringmark::accept
