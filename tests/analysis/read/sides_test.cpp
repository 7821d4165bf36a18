#include "analysis/read/sides.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "analysis/compare/compare.hpp"
#include "analysis/read/run_facts.hpp"
#include "base/errors.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

class Sides : public testing::Test {
 protected:
  Sides() {
    for (const std::string side : {"before", "after"}) {
      std::filesystem::create_directory(folder_.file(side));
      for (int launch = 1; launch <= 3; ++launch) {
        std::ofstream(path(side, launch)) << "# OSU MPI Allreduce Latency Test v5.6\n# Size  Avg Latency(us)\n4  "
                                          << (side == "before" ? 2 : 3) << "." << launch << "\n";
      }
    }
  }

  std::string path(const std::string& side, int launch) const {
    return folder_.file(side) + "/" + std::to_string(launch) + ".log";
  }

  std::string values(const std::vector<std::string>& paths) const {
    const auto table = read_results(paths, {.ranks = 4}).table;
    const auto result = compare(table, all_rows(table), {.by = "file"});
    std::string said = result.baseline.substr(folder_.path().size() + 1);
    for (const auto& value : result.values) said += " " + value.substr(folder_.path().size() + 1);
    return said + " " + std::to_string(result.comparisons.at(0).times_us.size());
  }

  ResultFolder folder_;
};

TEST_F(Sides, a_folder_is_one) {
  EXPECT_EQ(values({folder_.file("before"), folder_.file("after")}), "before after before 3");
}

TEST_F(Sides, a_pattern_is_one) {
  EXPECT_EQ(values({folder_.file("before/*.log"), folder_.file("after/[12].log")}),
            "before/*.log after/[12].log before/*.log 2");
  EXPECT_THROW(read_results({folder_.file("before/*.txt")}), BadUsage);
}

TEST_F(Sides, files_of_several_folders_are_those_of_their_folders) {
  EXPECT_EQ(values({path("before", 1), path("before", 2), path("after", 1), path("after", 2)}),
            "before after before 2");
  // One file of each folder, or files of one folder, are sides of their own.
  EXPECT_EQ(values({path("before", 1), path("after", 1)}), "before/1.log after/1.log before/1.log 1");
  EXPECT_EQ(values({path("before", 1), path("before", 2)}), "before/1.log before/1.log before/2.log 1");
}

TEST_F(Sides, rows_know_their_file) {
  const auto table = read_results({folder_.file("before")}, {.ranks = 4}).table;
  EXPECT_THAT(table.where(2), HasSubstr("before/3.log:3"));
}

TEST_F(Sides, a_folder_may_hold_other_files) {
  std::ofstream(folder_.file("before/notes.md")) << "the switch was replaced\n";
  const auto results = read_results({folder_.file("before")}, {.ranks = 4});
  EXPECT_EQ(results.table.rows(), 3U);
  EXPECT_THAT(results.notes, Contains(HasSubstr("notes.md")));
  EXPECT_THROW(read_results({folder_.file("before/*")}, {.ranks = 4}), BadUsage);
}

TEST_F(Sides, a_pipe_in_a_folder_keeps_nobody_waiting) {
  ASSERT_EQ(::mkfifo(folder_.file("before/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_results({folder_.file("before")}, {.ranks = 4}).table.rows(), 3U);
  EXPECT_EQ(read_results({folder_.file("before/*")}, {.ranks = 4}).table.rows(), 3U);
  for (const std::string name : {"results.csv", "manifest.json"}) {
    ASSERT_EQ(::mkfifo(folder_.file("after/" + name).c_str(), 0600), 0);
    EXPECT_EQ(run_facts({folder_.file("after")}).empty(), name == "results.csv");
    EXPECT_THROW(read_results({folder_.file("after")}, {.ranks = 4}), BadUsage);
  }
}

}  // namespace
}  // namespace ringmark::analysis
