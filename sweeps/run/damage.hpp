// Finds results that are no longer as a sweep wrote them.
#pragma once

#include <string>

#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

/// Throws BadUsage, which names the launch and the remedy, if the files differ from the journal: shorter, or of
/// other digests. Journals of older versions have none, so rows must be readable as well. Rows behind the last launch's
/// may be those of the next one only, since they are going to be removed.
void refuse_damage(const std::string& results, const std::string& samples, const JournalContent& journal);

}  // namespace ringmark::sweep
