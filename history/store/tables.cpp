#include "history/store/tables.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "history/store/derived_times.hpp"
#include "history/store/parts.hpp"

namespace ringmark::history {
namespace {

constexpr std::string_view table_name(Part part) {
  constexpr std::array<std::string_view, 3> names{"series", "launch", "result"};
  return names.at(static_cast<std::size_t>(part));
}

/// "RmkH", by which a store differs from other programs' databases.
constexpr int application_id = 0x526d6b48;

// Times are seconds since 1970 in UTC. `row_hosts` and `row_facts` are null where they are the launch's. The columns of
// the results schema are added to launch, series and result.
constexpr std::string_view first_version = R"(
  CREATE TABLE source(id INTEGER PRIMARY KEY, path TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, added INTEGER NOT NULL);
  CREATE TABLE launch(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, cluster TEXT NOT NULL, time INTEGER NOT NULL,
    source_id INTEGER NOT NULL REFERENCES source(id), facts TEXT);
  CREATE INDEX launch_by_time ON launch(cluster, time);
  CREATE TABLE launch_host(host TEXT NOT NULL, launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
    PRIMARY KEY(host, launch_id)) WITHOUT ROWID;
  CREATE INDEX host_of_launch ON launch_host(launch_id);
  CREATE TABLE series(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, options TEXT, variables TEXT);
  CREATE TABLE result(series_id INTEGER NOT NULL REFERENCES series(id),
    launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE, number INTEGER NOT NULL, digest INTEGER NOT NULL,
    row_hosts TEXT, row_facts TEXT, PRIMARY KEY(series_id, launch_id, number)) WITHOUT ROWID;
  CREATE INDEX result_of_launch ON result(launch_id);
  CREATE TABLE sample(launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE, number INTEGER NOT NULL,
    rank INTEGER NOT NULL, host TEXT, samples INTEGER NOT NULL, time_us_p50 REAL NOT NULL, time_us_p95 REAL,
    computation_us_p50 REAL, late_us_p50 REAL, PRIMARY KEY(launch_id, number, rank)) WITHOUT ROWID;
  CREATE TABLE verdict(id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL UNIQUE REFERENCES source(id),
    cluster TEXT NOT NULL, time INTEGER NOT NULL, outcome TEXT NOT NULL, json TEXT NOT NULL);
  CREATE TABLE drained(host TEXT NOT NULL, verdict_id INTEGER NOT NULL REFERENCES verdict(id) ON DELETE CASCADE,
    PRIMARY KEY(host, verdict_id)) WITHOUT ROWID;
)";

constexpr std::string_view second_version = R"(
  CREATE TABLE launch_time(series_id INTEGER NOT NULL, cluster TEXT NOT NULL, time INTEGER NOT NULL,
    launch_id INTEGER NOT NULL, time_us REAL NOT NULL, PRIMARY KEY(series_id, cluster, time, launch_id)) WITHOUT ROWID;
)";

// `first` and `last` are the times of the first and the last of `times`, an array of LaunchTime.
constexpr std::string_view third_version = R"(
  DROP TABLE launch_time;
  CREATE TABLE launch_times(id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, cluster TEXT NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, times BLOB NOT NULL);
  CREATE INDEX launch_times_of_series ON launch_times(series_id, cluster);
)";

/// The step to each version from the one before.
constexpr std::array<std::string_view, store_version> steps{first_version, second_version, third_version};
/// The version since which launch_times has what is derived today.
constexpr int derived_since = 3;

int pragma(SQLite::Database& database, std::string_view name) {
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

std::set<std::string> columns_in(SQLite::Database& database, std::string_view table) {
  SQLite::Statement query(database, fmt::format("PRAGMA table_info(\"{}\")", table));
  std::set<std::string> names;
  while (query.executeStep()) names.insert(query.getColumn(1).getString());
  return names;
}

/// Statements that add the columns of the results schema that tables lack. Columns have no type, so that each value
/// keeps its own.
std::vector<std::string> missing_columns(SQLite::Database& database) {
  std::vector<std::string> statements;
  for (const auto part : {Part::series, Part::launch, Part::row}) {
    const auto known = columns_in(database, table_name(part));
    for (const auto* column : columns_of(part)) {
      if (!known.contains(std::string(column->name)))
        statements.push_back(fmt::format("ALTER TABLE \"{}\" ADD COLUMN \"{}\"", table_name(part), column->name));
    }
  }
  return statements;
}

void check_kind(SQLite::Database& database) {
  const auto version = pragma(database, "user_version");
  const bool is_new = version == 0 && pragma(database, "schema_version") == 0;
  if (!is_new && pragma(database, "application_id") != application_id)
    throw BadUsage("this is a database of another program, not a store of results");
  if (version > store_version)
    throw BadUsage(
        fmt::format("this store has version {}, and this program knows versions up to {}; use a newer "
                    "ringmark-history",
                    version, store_version));
}

}  // namespace

void bring_up_to_date(SQLite::Database& database) {
  check_kind(database);
  if (pragma(database, "user_version") == store_version && missing_columns(database).empty()) return;
  SQLite::Transaction change(database, SQLite::TransactionBehavior::IMMEDIATE);
  check_kind(database);  // another process may have been faster
  const auto version = pragma(database, "user_version");
  for (auto step = version; step < store_version; ++step)
    database.exec(std::string(steps.at(static_cast<std::size_t>(step))));
  for (const auto& statement : missing_columns(database)) database.exec(statement);
  if (version < derived_since) derive_launch_times(database);
  database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, store_version));
  change.commit();
}

}  // namespace ringmark::history
