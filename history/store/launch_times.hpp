// The table launch_time: the one time that each launch has for a series, derived from the table result, so that a
// question reads some twenty bytes for each launch instead of all columns.
#pragma once

#include <cstdint>
#include <optional>

#include <SQLiteCpp/Database.h>

namespace ringmark::history {

/// Derives the times of one launch again, or of all. Rows that were not measured as asked, and those whose caveats
/// forbid a decision, do not count. A change of what counts needs a new version of the store, whose step does this.
void derive_launch_times(SQLite::Database& database, std::optional<std::int64_t> launch = std::nullopt);

}  // namespace ringmark::history
