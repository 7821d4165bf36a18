// The tables of a store and the steps between its versions.
#pragma once

#include <SQLiteCpp/Database.h>

namespace ringmark::history {

constexpr int store_version = 3;

/// Creates the tables of a new store, and adds to an older one whatever it lacks, including later columns of the
/// results schema. Throws BadUsage if the store is of a later version or belongs to another program.
void bring_up_to_date(SQLite::Database& database);

}  // namespace ringmark::history
