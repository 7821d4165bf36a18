// Detects results that have changed since a sweep wrote them.
#pragma once

#include <string>

#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

/// Throws BadUsage, which names the launch and the remedy, if the files do not match the journal: they are shorter, or
/// their digests differ. Journals of older versions have no digests, so rows must be readable as well. The only rows
/// allowed after the last launch's are those of the next one, since they will be removed.
void refuse_damage(const std::string& results, const std::string& samples, const JournalContent& journal);

}  // namespace ringmark::sweep
