// Which hosts are behind one switch, as the times of their answers tell it.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmark::accept {

/// With fewer hosts, chance would too often look like switches.
constexpr std::size_t fewest_hosts_for_groups = 6;

/// Groups of hosts that answer each other sooner than any other host. `answers_us[i][j]` is the time of the fastest
/// answer between hosts i and j, the same both ways. Hosts that take longer with all others do no harm. There are none
/// unless all hosts agree on the groups, and answers within them are apart from the others: every host is in one, with
/// another host, and there are two or more.
std::vector<std::vector<std::size_t>> groups_of_near_hosts(const std::vector<std::vector<double>>& answers_us);

}  // namespace ringmark::accept
