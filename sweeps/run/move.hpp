// A sweep that goes on on other hosts than those on which it was begun.
#pragma once

#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

/// The most of any setting.
struct Need {
  int hosts = 0, ranks_per_node = 0;
  int gpus_per_node = 0;  ///< 0 if every setting keeps its buffers in host memory
};
Need need_of(const CheckedSweep& checked);

/// True if the command line names hosts, or a file of them.
bool names_hosts(const Overrides& here);

/// Throws BadUsage if `here` names hosts and the launcher of a sweep that goes on starts no ranks on them.
void refuse_unused_hosts(const Overrides& here, const CheckedSweep& checked);

/// The hosts that `here` names take the place of those with which the sweep was `begun`; a sweep that was begun inside
/// an allocation goes on with that of `here`. Its settings stay as they were, and where its launcher placed the ranks
/// itself, each host gets as many as the most that any had. Throws BadUsage if the hosts are too few, have too few
/// slots, if the launcher starts no ranks on hosts, or if the sweep needs an allocation and this is none.
void move_to_hosts_of(const Overrides& here, const JournalHead& begun, CheckedSweep& checked);

}  // namespace ringmark::sweep
