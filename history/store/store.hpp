// A store of results: one SQLite file that any number of processes may use at the same time, one of them writing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <nlohmann/json.hpp>

#include "history/store/parts.hpp"

namespace ringmark::history {

enum class Access { read, write };

/// For one thread at a time.
class Store {
 public:
  /// Opens the file; `write` creates it if it does not exist. Brings a store of an earlier version up to date. Throws
  /// BadUsage if the file does not exist, is not a store, or was written by a later version.
  Store(std::string file, Access access);

  const std::string& file() const { return file_; }
  SQLite::Database& database() { return database_; }
  /// Throws std::runtime_error with the file's name if SQLite finds damage.
  void check();

 private:
  std::string file_;
  SQLite::Database database_;
};

/// "a, b, c" of quoted column names, each preceded by `before`.
std::string column_list(Part part, const std::string& before = "");

/// Binds from `place` on, and returns the place after them.
int bind_columns(SQLite::Statement& statement, int place, Part part, const StoredRow& row);
/// The inverse: reads from this column of the result on, and returns the column after them.
int read_columns(SQLite::Statement& statement, int place, Part part, StoredRow& row);

/// Stores keep times as seconds since 1970 in UTC.
std::int64_t seconds_of(std::chrono::sys_seconds time);
std::chrono::sys_seconds time_at(SQLite::Statement& query, int place);

/// A JSON object as text; empty if there are no values.
std::string object_text(const std::map<std::string, std::string>& values);
std::map<std::string, std::string> object_from(const std::string& text);

}  // namespace ringmark::history
