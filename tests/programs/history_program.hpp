// ringmark-history with a store in a folder that goes with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "results/files/csv.hpp"
#include "results/files/provenance.hpp"
#include "results/files/result_file.hpp"
#include "tests/history/stores.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

class HistoryProgram : public testing::Test {
 protected:
  std::string folder(const std::string& name = "") const { return results_.file(name); }
  std::string history(const std::string& words) const {
    return bin + "/ringmark-history " + words + " --store " + folder("h.db");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder(name)).parent_path());
    std::ofstream(folder(name)) << text;
  }
  /// Launch `number`, a day after the one before, with three sizes.
  static std::string csv_of(int number, double factor = 1) {
    auto text = write_csv(record_header());
    for (const std::uint64_t size : {1024U, 2048U, 4096U}) {
      auto row = history::row_of(fmt::format("run-{}", number), factor * (10 + 0.1 * (number % 3)), size).record;
      row.time_utc = utc_text(history::day(number));
      text += write_csv(to_csv(row));
    }
    return text;
  }
  std::string count(const std::string& table) const {
    SQLite::Database database(folder("h.db"));
    return database.execAndGet("SELECT count(*) FROM " + table).getString();
  }

  ResultFolder results_;
};

}  // namespace ringmark::testing_support
