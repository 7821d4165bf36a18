// The tables of a store and the steps between its versions.
#pragma once

#include <SQLiteCpp/Database.h>

namespace ringmark::history {

constexpr int store_version = 3;

/// Makes the tables of a new store, and in an older one whatever it lacks, including columns that the results schema
/// has got since. Throws BadUsage if the store is of a later version or another program's.
void bring_up_to_date(SQLite::Database& database);

}  // namespace ringmark::history
