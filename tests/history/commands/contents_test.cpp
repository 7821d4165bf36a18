#include "history/commands/contents.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "results/files/csv.hpp"
#include "results/files/result_file.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

class ContentsTest : public StoreTest {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string csv(const std::vector<StoredRow>& rows) {
    auto text = write_csv(record_header());
    for (const auto& row : rows) text += write_csv(to_csv(row.record));
    return text;
  }
};

constexpr std::string_view nccl_log =
    R"(# nThread 1 nGpus 8 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    56.00   18.72   32.77      0    56.00   18.72   32.77      0
     2097152        524288     float     sum      -1    80.00   26.21   45.88      0    80.00   26.21   45.88      0
# Out of bounds values : 0 OK
)";

TEST_F(ContentsTest, rows_of_a_csv_are_launches_by_their_run) {
  auto late = row_of("b", 11);
  late.record.time_utc = "2026-02-01T12:00:00Z";
  const auto contents = read_contents(write("rows.csv", csv({row_of("a", 10), late, row_of("a", 12)})), {});
  ASSERT_EQ(contents.launches.size(), 2U);
  EXPECT_EQ(contents.launches[0].key, "a");
  EXPECT_EQ(contents.launches[0].rows.size(), 2U);
  EXPECT_EQ(contents.launches[1].time, day(31) + std::chrono::hours(12));
}

TEST_F(ContentsTest, a_csv_may_begin_as_spreadsheet_programs_write_it) {
  const auto text = csv({row_of("a", 10)});
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += {c, '\0'};
  for (const auto& written : {"\xEF\xBB\xBF" + text, wide}) {
    const auto contents = read_contents(write("rows.csv", written), {});
    ASSERT_EQ(contents.launches.size(), 1U);
    EXPECT_EQ(contents.launches[0].key, "a");
  }
}

TEST_F(ContentsTest, rows_of_a_run_that_a_day_lies_between_are_of_two_launches) {
  auto late = row_of("nightly", 10);
  late.record.time_utc = "2026-01-03T00:00:00Z";
  const auto file = write("long.csv", csv({row_of("nightly", 10), row_of("nightly", 11), late}));
  EXPECT_EQ(read_contents(file, {}).launches.size(), 2U);
}

TEST_F(ContentsTest, other_tools_launches_are_known_by_their_rows_wherever_they_lie) {
  const InputOptions options{.foreign = {.ranks = 8}, .date = day(5)};
  const auto one = read_contents(write("all_reduce_perf.log", std::string(nccl_log)), options);
  ASSERT_EQ(one.launches.size(), 1U);
  EXPECT_EQ(one.launches[0].rows.size(), 4U);
  EXPECT_EQ(one.launches[0].time, day(5));
  const auto copy = read_contents(write("copy/all_reduce_perf.txt", std::string(nccl_log) + "\n"), options);
  EXPECT_EQ(copy.launches[0].key, one.launches[0].key);
  EXPECT_NE(copy.sha256, one.sha256);
}

TEST_F(ContentsTest, a_verdict_is_read) {
  const auto file =
      write("verdict.json", R"({"schema": "accept/1", "outcome": "fail", "last_utc": "2026-01-04T00:00:00Z",
    "drain": ["node7"]})");
  const auto contents = read_contents(file, {});
  ASSERT_TRUE(contents.verdict);
  EXPECT_EQ(contents.verdict->time, day(3));
  EXPECT_EQ(contents.verdict->drained, std::vector<std::string>{"node7"});
  EXPECT_THROW(read_contents(write("bad.json", R"({"schema": "accept/1"})"), {}), BadUsage);
  EXPECT_THROW(read_contents(write("bad.json", R"({"schema": "accept/1", "outcome": "banana",
    "last_utc": "2026-01-04T00:00:00Z", "drain": []})"),
                             {}),
               BadUsage);
}

TEST_F(ContentsTest, samples_are_summed_up_by_rank) {
  const auto file = write("samples.jsonl",
                          R"({"schema":"samples/1","context":{"run_id":"a","host_names":["node1","node2"]}}
{"run_id":"a","timing":"each","time_us":[[3,1,2],[9,7,8]]}
{"run_id":"a","timing":"each","time_us":[[5],[6]]}
)");
  const auto contents = read_contents(file, {});
  ASSERT_EQ(contents.samples.size(), 2U);
  ASSERT_EQ(contents.samples[0].ranks.size(), 2U);
  EXPECT_EQ(contents.samples[0].ranks[1].host, "node2");
  EXPECT_EQ(contents.samples[0].ranks[1].time_us_p50, 8);
  EXPECT_EQ(contents.samples[1].number, 1U);
}

TEST_F(ContentsTest, files_without_results_are_refused_by_name) {
  for (const auto& [name, text] : {std::pair{"empty.csv", ""},
                                   {"text.txt", "hello"},
                                   {"json.json", "{}"},
                                   {"deep.json", "[[[["},
                                   {"header.csv", "schema,run_id\n"}}) {
    const auto file = write(name, text);
    try {
      read_contents(file, {});
      ADD_FAILURE() << name;
    } catch (const BadUsage& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(name));
    }
  }
}

TEST_F(ContentsTest, a_folder_stands_for_its_files_and_a_sweeps_folder_for_its_results) {
  write("all/sweep/results.csv", "x");
  write("all/sweep/samples.jsonl", "x");
  write("all/sweep/sweep.yaml", "x");
  write("all/sweep/logs/1.log", "x");
  write("all/b.log", "x");
  std::vector<std::string> unreadable;
  const auto files = [&](const std::vector<std::string>& paths) { return files_to_add(paths, unreadable); };
  const std::vector<std::string> all{path("all/b.log"), path("all/sweep/results.csv"), path("all/sweep/samples.jsonl")};
  EXPECT_EQ(files({path("all")}), all);
  EXPECT_EQ(files({path("all/sweep/samples.jsonl"), path("all/b.log")}),
            (std::vector<std::string>{path("all/b.log"), path("all/sweep/samples.jsonl")}));
  std::filesystem::create_directory_symlink("..", path("all/sweep.up"));
  EXPECT_EQ(files({path("all")}), all) << "once";
  EXPECT_TRUE(unreadable.empty());
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(files({path("none"), path("empty"), path("all/b.log")}), std::vector<std::string>{path("all/b.log")});
  EXPECT_EQ(unreadable.size(), 2U) << "and are named";
  unreadable.clear();
  ASSERT_EQ(::mkfifo(path("all/pipe").c_str(), 0600), 0);
  EXPECT_EQ(files({path("all")}), all);
  ASSERT_EQ(unreadable.size(), 1U);
  EXPECT_THAT(unreadable.front(), testing::HasSubstr("pipe"));
}

TEST_F(ContentsTest, launches_that_a_wrong_clock_dated_are_refused) {
  for (const char* date : {"1970-01-01T00:00:10Z", "2009-12-31T23:59:59Z", "2099-01-01T00:00:00Z"}) {
    auto row = row_of("a", 10);
    row.record.time_utc = date;
    EXPECT_THROW(read_contents(write("clock.csv", csv({row})), {}), BadUsage) << date;
  }
}

TEST_F(ContentsTest, a_folder_that_cannot_be_read_is_named_and_others_are_read) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every folder";
  write("all/closed/a.log", "x");
  write("all/open/b.log", "x");
  std::filesystem::permissions(path("all/closed"), std::filesystem::perms::none);
  std::vector<std::string> unreadable;
  EXPECT_EQ(files_to_add({path("all"), path("all/closed/a.log")}, unreadable),
            std::vector<std::string>{path("all/open/b.log")});
  std::filesystem::permissions(path("all/closed"), std::filesystem::perms::owner_all);
  ASSERT_EQ(unreadable.size(), 2U);
  for (const auto& reason : unreadable) {
    EXPECT_THAT(reason, testing::HasSubstr("closed"));
    EXPECT_THAT(reason, testing::HasSubstr("denied"));
  }
}

}  // namespace
}  // namespace ringmark::history
