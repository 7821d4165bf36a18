#include "history/store/store.hpp"

#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/system/deadline.hpp"
#include "history/store/tables.hpp"

namespace ringmark::history {
namespace {

/// How long a process waits for another one that writes.
constexpr std::chrono::seconds patience(60);

/// True if this user may not write the file, or not create the files next to it through which processes share it.
bool is_only_readable(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  return ::access(file.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0;
}

/// A URI for SQLite, with `options` after the question mark.
std::string uri_of(const std::string& file, std::string_view options) {
  std::string uri = "file:";
  for (const char letter : std::filesystem::absolute(file).string())
    uri += letter == '?' || letter == '#' || letter == '%' ? fmt::format("%{:02X}", letter) : std::string(1, letter);
  return fmt::format("{}?{}", uri, options);
}

/// For a file that is_only_readable. If no process is writing, SQLite may treat it as immutable.
SQLite::Database open_to_read(const std::string& file) {
  std::error_code unknown;
  const auto log_bytes = std::filesystem::file_size(file + "-wal", unknown);
  const bool is_written = !unknown && log_bytes > 0;
  return {uri_of(file, is_written ? "mode=ro" : "mode=ro&immutable=1"),
          SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX,
          static_cast<int>(std::chrono::milliseconds(patience).count())};
}

SQLite::Database open(const std::string& file, Access access) {
  std::error_code unknown;
  const bool exists = std::filesystem::exists(file, unknown);
  if (!exists && access == Access::read)
    throw BadUsage(fmt::format("{}: no such store; ringmark-history add FILES --store {} creates one", file, file));
  if (exists && !std::filesystem::is_regular_file(file, unknown))
    throw BadUsage(fmt::format("{}: not a regular file", file));
  if (exists && access == Access::write && is_only_readable(file))
    throw BadUsage(
        fmt::format("{}: you do not have write permission for it or for its folder; run this as its owner", file));
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!exists && !std::filesystem::is_directory(folder, unknown))
    throw BadUsage(fmt::format("{}: the folder {} does not exist; create it first", file, folder.string()));
  const int create = access == Access::write ? SQLite::OPEN_CREATE : 0;
  try {
    if (access == Access::read && is_only_readable(file)) return open_to_read(file);
    // No two threads use a store at the same time.
    return {file, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX | create,
            static_cast<int>(std::chrono::milliseconds(patience).count())};
  } catch (const SQLite::Exception& error) {
    throw BadUsage(fmt::format("{}: {}", file, error.what()));
  }
}

bool is_read_only(SQLite::Database& database) { return sqlite3_db_readonly(database.getHandle(), "main") == 1; }

/// Lets readers continue while one process writes. Another process that makes the same change locks the file for a
/// moment, and SQLite itself does not wait for that.
void use_write_ahead_log(SQLite::Database& database) {
  const auto deadline = Deadline::after(patience);
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || deadline.passed()) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace

Store::Store(std::string file, Access access) : file_(std::move(file)), database_(open(file_, access)) {
  try {
    if (!is_read_only(database_)) use_write_ahead_log(database_);
    // Transactions survive the death of the process. After a power failure the store is intact, but its last
    // transactions may be lost.
    database_.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    // In KiB. Questions read each page once, over several connections.
    database_.exec(access == Access::write ? "PRAGMA cache_size = -65536" : "PRAGMA cache_size = -4096");
    bring_up_to_date(database_);
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOTADB) throw BadUsage(fmt::format("{}: not a store of results", file_));
    if (error.getErrorCode() == SQLITE_READONLY)
      throw BadUsage(
          fmt::format("{}: written by an earlier version; its owner must open it once, which updates it", file_));
    throw std::runtime_error(fmt::format("{}: {}", file_, error.what()));
  } catch (const BadUsage& error) {
    throw BadUsage(fmt::format("{}: {}", file_, error.what()));
  }
}

void Store::check() {
  SQLite::Statement query(database_, "PRAGMA integrity_check(1)");
  query.executeStep();
  if (const auto found = query.getColumn(0).getString(); found != "ok")
    throw std::runtime_error(fmt::format("{}: damaged: {}; use a backup instead", file_, found));
}

std::string column_list(Part part, const std::string& before) {
  std::string list;
  for (const auto* column : columns_of(part))
    list += fmt::format("{}{}\"{}\"", list.empty() ? "" : ", ", before, column->name);
  return list;
}

int bind_columns(SQLite::Statement& statement, int place, Part part, const StoredRow& row) {
  for (const auto* column : columns_of(part)) {
    const auto value = value_in(row, *column);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      statement.bind(place, *whole);
    } else if (const auto* number = std::get_if<double>(&value)) {
      statement.bind(place, *number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      statement.bind(place, *text);
    } else {
      statement.bind(place);
    }
    ++place;
  }
  return place;
}

int read_columns(SQLite::Statement& statement, int place, Part part, StoredRow& row) {
  for (const auto* column : columns_of(part)) {
    const auto cell = statement.getColumn(place++);
    if (cell.isInteger()) {
      set_value(row, *column, cell.getInt64());
    } else if (cell.isFloat()) {
      set_value(row, *column, cell.getDouble());
    } else if (cell.isText()) {
      set_value(row, *column, cell.getString());
    }
  }
  return place;
}

std::int64_t seconds_of(std::chrono::sys_seconds time) { return time.time_since_epoch().count(); }

std::chrono::sys_seconds time_at(SQLite::Statement& query, int place) {
  return std::chrono::sys_seconds(std::chrono::seconds(query.getColumn(place).getInt64()));
}

std::string object_text(const std::map<std::string, std::string>& values) {
  return values.empty() ? "" : nlohmann::json(values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::map<std::string, std::string> object_from(const std::string& text) {
  if (text.empty()) return {};
  return nlohmann::json::parse(text).get<std::map<std::string, std::string>>();
}

}  // namespace ringmark::history
