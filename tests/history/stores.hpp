// Rows and stores for the tests of history/.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "history/store/add.hpp"
#include "history/store/launch_times.hpp"
#include "history/store/query.hpp"

namespace ringmark::history {

inline std::chrono::sys_seconds day(int number) {
  return std::chrono::sys_days(std::chrono::year(2026) / 1 / 1) + std::chrono::days(number);
}

inline StoredRow row_of(const std::string& run_id, double time_us, std::uint64_t size_bytes = 1048576) {
  Record row;
  row.run_id = run_id;
  row.time_utc = "2026-01-01T00:00:00Z";
  row.transport = Transport::tcp;
  row.algorithm = "ring";
  row.collective = Workload(Collective::all_reduce);
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.timing = Timing::each;
  row.ranks = 4;
  row.nodes = 2;
  row.size_bytes = size_bytes;
  row.count = size_bytes / sizeof(float);
  row.samples = 20;
  row.time_us_p50 = time_us;
  row.status = Status::ok;
  row.settings.hosts = "node[1-2]*2";
  return {row, {}};
}

inline Launch launch_of(std::chrono::sys_seconds time, std::vector<StoredRow> rows) {
  auto key = rows.front().record.run_id;
  return {std::move(key), time, std::move(rows)};
}

inline std::vector<LaunchTime> launch_times(Store& store, std::int64_t series, const Selection& selection) {
  return LaunchTimeReader(store, selection).of(series);
}

inline Contents contents_of(const std::string& file, std::vector<Launch> launches) {
  return {.file = file, .sha256 = "of " + file, .launches = std::move(launches)};
}

/// A store in a folder that goes with the test.
class StoreTest : public testing::Test {
 protected:
  ~StoreTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Store& store() {
    if (!store_) store_.emplace(path("history.db"), Access::write);
    return *store_;
  }
  void close() { store_.reset(); }
  /// A file with one launch of one row a day.
  void add_daily(const std::vector<double>& times_us, const std::function<void(Record&, int day)>& change = {}) {
    for (int number = 0; number < static_cast<int>(times_us.size()); ++number) {
      auto row = row_of(fmt::format("run-{}", number), times_us[static_cast<std::size_t>(number)]);
      if (change) change(row.record, number);
      add(store(), contents_of(fmt::format("day-{}", number), {launch_of(day(number), {row})}), "lab");
    }
  }

 private:
  static std::filesystem::path make_folder() {
    auto name = (std::filesystem::temp_directory_path() / "ringmark-history-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    return name;
  }

  std::filesystem::path folder_ = make_folder();
  std::optional<Store> store_;
};

}  // namespace ringmark::history
