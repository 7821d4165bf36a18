// Checks that recordings are consistent in themselves and with each other. Each throws BadUsage with the files that
// are not.
#pragma once

#include <string>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// "all_reduce of 8 float32 sum".
std::string describe(const Call& call);

/// Requires that two ranks made the same calls.
void require_same(const std::string& first_file, const Imported& first, const std::string& file, const Imported& other);
/// Requires that the recordings are from different ranks, and agree on the number of ranks as far as they state it.
void require_another_rank(const std::string& first_file, const Imported& first, const std::string& file,
                          const Imported& other);
/// Requires that no group of the recording has more ranks than exist, or a rank that does not exist.
void require_groups_within_world(const std::string& file, const Imported& imported);

}  // namespace ringmark::replay
