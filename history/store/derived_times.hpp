// Writes the table launch_times, which is derived from the table result.
#pragma once

#include <cstdint>
#include <set>

#include <SQLiteCpp/Database.h>

#include "history/store/launch_times.hpp"

namespace ringmark::history {

/// Derives the times of all launches. A change of what counts needs a new version of the store, whose step calls this.
void derive_launch_times(SQLite::Database& database);
/// Derives those of one launch again, after rows were added. `is_new`: it has no times yet.
void derive_launch_times(SQLite::Database& database, std::int64_t launch, bool is_new);

/// Removes the times of these launches, all of which are within the span.
void forget_launch_times(SQLite::Database& database, const std::set<std::int64_t>& launches, TimeSpan span);

}  // namespace ringmark::history
