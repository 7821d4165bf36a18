// Whether recordings agree with themselves and with one another. All throw BadUsage with the files that do not.
#pragma once

#include <string>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// "all_reduce of 8 float32 sum".
std::string describe(const Call& call);

/// Of two ranks: they made the same calls.
void require_same(const std::string& first_file, const Imported& first, const std::string& file, const Imported& other);
/// They are of different ranks among the same number of ranks, as far as they state it.
void require_another_rank(const std::string& first_file, const Imported& first, const std::string& file,
                          const Imported& other);
/// Of one recording: no group has more ranks than all are, and no rank that is none of them.
void require_groups_within_world(const std::string& file, const Imported& imported);

}  // namespace ringmark::replay
