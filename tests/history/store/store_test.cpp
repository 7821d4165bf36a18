#include "history/store/store.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "history/store/tables.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

TEST_F(StoreTest, a_missing_file_is_refused_for_reading_and_made_for_writing) {
  EXPECT_THROW(Store(path("none.db"), Access::read), BadUsage);
  EXPECT_FALSE(std::filesystem::exists(path("none.db")));
  Store(path("none.db"), Access::write).check();
  Store(path("none.db"), Access::read).check();
}

TEST_F(StoreTest, other_files_are_refused_and_left_alone) {
  std::ofstream(path("text.db")) << std::string(5000, 'x');
  EXPECT_THROW(Store(path("text.db"), Access::write), BadUsage);
  SQLite::Database(path("other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE a(b)");
  EXPECT_THROW(Store(path("other.db"), Access::write), BadUsage);
  EXPECT_FALSE(SQLite::Database(path("other.db")).tableExists("launch"));
  EXPECT_THROW(Store(std::filesystem::temp_directory_path().string(), Access::read), BadUsage);
}

TEST_F(StoreTest, a_later_version_is_refused) {
  Store(path("later.db"), Access::write).database().exec(fmt::format("PRAGMA user_version = {}", store_version + 1));
  EXPECT_THROW(Store(path("later.db"), Access::write), BadUsage);
}

TEST_F(StoreTest, a_store_from_before_a_column_gets_it_and_keeps_its_rows) {
  add(store(), contents_of("a", {launch_of(day(0), {row_of("a", 10)})}), "lab");
  store().database().exec(
      "ALTER TABLE result DROP COLUMN caveats; ALTER TABLE series DROP COLUMN parallelism; ALTER TABLE launch DROP "
      "COLUMN hosts");
  close();
  add(store(), contents_of("b", {launch_of(day(1), {row_of("b", 11)})}), "lab");
  EXPECT_EQ(size_of(store()).series, 1U) << "a series is the same one after the schema has grown";
  EXPECT_EQ(launch_times(store(), all_series(store()).front().id, {}).size(), 2U);
}

TEST_F(StoreTest, damage_is_found) {
  std::vector<StoredRow> rows;
  for (int i = 0; i < 500; ++i) rows.push_back(row_of("a", 10 + i));
  add(store(), contents_of("a", {launch_of(day(0), rows)}), "lab");
  store().database().exec("PRAGMA wal_checkpoint(TRUNCATE)");
  close();
  const auto size = std::filesystem::file_size(path("history.db"));
  std::fstream file(path("history.db"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size / 2));
  file << std::string(3000, 'Z');
  file.close();
  Store damaged(path("history.db"), Access::read);
  EXPECT_THROW(damaged.check(), std::runtime_error);
}

}  // namespace
}  // namespace ringmark::history
