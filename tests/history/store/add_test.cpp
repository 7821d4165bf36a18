#include "history/store/add.hpp"

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "history/store/forget.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

TEST_F(StoreTest, a_file_is_added_once) {
  const auto contents = contents_of("a", {launch_of(day(0), {row_of("a", 10), row_of("a", 20, 2048)})});
  const auto added = add(store(), contents, "lab");
  EXPECT_EQ(added.launches, 1U);
  EXPECT_EQ(added.rows, 2U);
  EXPECT_TRUE(add(store(), contents, "lab").is_known_file);
  EXPECT_EQ(size_of(store()).rows, 2U);
}

TEST_F(StoreTest, launches_stay_in_the_cluster_that_they_were_added_to) {
  auto contents = contents_of("a", {launch_of(day(0), {row_of("a", 10)})});
  EXPECT_THAT(add(store(), contents, "lab").other_clusters, testing::IsEmpty());
  EXPECT_THAT(add(store(), contents, "lab").other_clusters, testing::IsEmpty());
  EXPECT_THAT(add(store(), contents, "room").other_clusters, testing::ElementsAre("lab"));
  contents.sha256 = "grown";
  contents.launches.push_back(launch_of(day(1), {row_of("b", 10)}));
  const auto added = add(store(), contents, "room");
  EXPECT_EQ(added.launches, 1U);
  EXPECT_THAT(added.other_clusters, testing::ElementsAre("lab")) << "the new launch is in the room";
}

TEST_F(StoreTest, a_file_that_has_grown_gives_its_new_rows) {
  auto contents = contents_of("a", {launch_of(day(0), {row_of("a", 10)})});
  add(store(), contents, "lab");
  contents.launches.front().rows.push_back(row_of("a", 20, 2048));
  contents.sha256 = "grown";
  const auto added = add(store(), contents, "lab");
  EXPECT_EQ(added.launches, 0U);
  EXPECT_EQ(added.rows, 1U);
  EXPECT_EQ(added.known_rows, 1U);
}

TEST_F(StoreTest, equal_rows_of_a_launch_are_as_many_as_in_the_file) {
  auto contents = contents_of("a", {launch_of(day(0), {row_of("a", 10), row_of("a", 10)})});
  EXPECT_EQ(add(store(), contents, "lab").rows, 2U);
  contents.sha256 = "copy";
  EXPECT_EQ(add(store(), contents, "lab").known_rows, 2U);
  EXPECT_EQ(size_of(store()).rows, 2U);
}

TEST_F(StoreTest, samples_need_the_rows_of_their_launch) {
  Contents samples{.file = "samples.jsonl", .sha256 = "s"};
  samples.samples.push_back({"a", 0, {{.rank = 0, .host = "node1", .samples = 20, .time_us_p50 = 10}}});
  EXPECT_THROW(add(store(), samples, "lab"), BadUsage);
  EXPECT_EQ(size_of(store()).samples, 0U);
  add(store(), contents_of("a", {launch_of(day(0), {row_of("a", 10)})}), "lab");
  EXPECT_EQ(add(store(), samples, "lab").samples, 1U);
}

TEST_F(StoreTest, the_log_of_writes_stays_short) {
  for (int number = 0; number < 60; ++number) {
    std::vector<StoredRow> rows;
    for (int i = 0; i < 300; ++i) rows.push_back(row_of(fmt::format("run-{}", number), 10 + i));
    add(store(), contents_of(fmt::format("{}", number), {launch_of(day(number), rows)}), "lab");
  }
  // SQLite begins anew after 1,000 pages.
  constexpr std::size_t page_bytes = 4096;
  EXPECT_LT(std::filesystem::file_size(path("history.db-wal")), 1100 * page_bytes);
}

TEST_F(StoreTest, a_verdict_is_kept_with_the_hosts_it_drains) {
  Contents contents{.file = "verdict.json", .sha256 = "v"};
  contents.verdict = StoredVerdict{day(3), "fail", {"node7", "node9"}, "{}"};
  EXPECT_EQ(add(store(), contents, "lab").verdicts, 1U);
  EXPECT_EQ(store().database().execAndGet("SELECT count(*) FROM drained").getInt(), 2);
}

TEST_F(StoreTest, rows_come_out_as_they_went_in) {
  auto row = row_of("a", 12.3456);
  row.record.settings.others = {{"NCCL_ALGO", "Ring"}, {"nccl_version", "2.28.9"}};
  row.record.settings.version = "0.1.0";
  row.record.extra = {{"tcp.sockets", "2"}};
  row.record.time_us_min = 11;
  row.record.caveats = {SharedGpu{}};
  row.words["memory"] = "hip";
  auto other = row_of("a", 13);
  other.record.settings.version = "0.1.0";
  other.record.settings.hosts = "node[3-4]*2";
  auto link = row_of("b", 5);
  link.record.schema = Schema::link;
  link.record.link = LinkEnds{0, 1};
  link.record.collective = Workload(LinkTest::bandwidth);
  link.record.settings.hosts.clear();
  link.record.settings.src_host = "node1";
  link.record.settings.dst_host = "node2";
  const std::vector<StoredRow> rows{row, other, link};
  add(store(), contents_of("a", {launch_of(day(0), {row, other}), launch_of(day(1), {link})}), "lab");
  std::vector<StoredRow> found;
  for_each_row(store(), {}, [&](const StoredRow& each) { found.push_back(each); });
  ASSERT_EQ(found.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(found[i].record, rows[i].record) << i;
    EXPECT_EQ(found[i].words, rows[i].words) << i;
  }
}

TEST_F(StoreTest, files_added_together_are_added_as_one_by_one_or_not_at_all) {
  std::vector<Contents> files{contents_of("a", {launch_of(day(0), {row_of("a", 10)})}),
                              contents_of("b", {launch_of(day(1), {row_of("b", 11)})})};
  add(store(), files.front(), "lab");
  EXPECT_EQ(add(store(), files, "lab").launches, 1U);
  files = {contents_of("c", {launch_of(day(2), {row_of("c", 12)})}), contents_of("d", {})};
  files.back().samples.push_back({"a launch that is missing", 0, {}});
  EXPECT_THROW(add(store(), files, "lab"), BadUsage);
  EXPECT_EQ(size_of(store()).launches, 2U);
}

TEST_F(StoreTest, what_is_forgotten_may_be_added_again) {
  add_daily({10, 11, 12, 13});
  const Forgotten before{.before = day(2)};
  EXPECT_EQ(count_forgotten(store(), before).launches, 2U);
  EXPECT_EQ(size_of(store()).launches, 4U);
  const auto counted = forget(store(), before);
  EXPECT_EQ(counted.launches, 2U);
  EXPECT_EQ(counted.rows, 2U);
  EXPECT_EQ(size_of(store()).rows, 2U);
  EXPECT_EQ(launch_times(store(), all_series(store()).front().id, {}).size(), 2U);
  add_daily({10, 11, 12, 13});
  EXPECT_EQ(size_of(store()).rows, 4U);
  forget(store(), {.launch = "run-3"});
  EXPECT_EQ(size_of(store()).launches, 3U);
  forget(store(), {.cluster = "lab"});
  EXPECT_EQ(size_of(store()).series, 0U);
}

}  // namespace
}  // namespace ringmark::history
