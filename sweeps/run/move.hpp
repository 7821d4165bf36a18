// A sweep that continues on hosts other than those where it began.
#pragma once

#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

/// The maximum over all settings.
struct Need {
  int hosts = 0, ranks_per_node = 0;
  int gpus_per_node = 0;  ///< 0 if every setting keeps its buffers in host memory
};
Need need_of(const CheckedSweep& checked);

/// True if the command line names hosts, or a file of them.
bool names_hosts(const Overrides& here);

/// Throws BadUsage if `here` names hosts and the launcher of a resumed sweep starts no ranks on hosts.
void refuse_unused_hosts(const Overrides& here, const CheckedSweep& checked);

/// The hosts that `here` names replace those with which the sweep was `begun`; a sweep that was begun inside an
/// allocation continues on that of `here`. Its settings stay the same, and if its launcher placed the ranks itself,
/// each host gets the largest number that any host had. Throws BadUsage if there are too few hosts or slots, if the
/// launcher starts no ranks on hosts, or if the sweep needs an allocation and `here` has none.
void move_to_hosts_of(const Overrides& here, const JournalHead& begun, CheckedSweep& checked);

}  // namespace ringmark::sweep
