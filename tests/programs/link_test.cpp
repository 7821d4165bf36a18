// ringmark-link where several links are measured at the same time.
#include <map>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class LinksAtOnce : public testing::Test {
 protected:
  ResultFolder results_;
};

TEST_F(LinksAtOnce, of_an_incast_all_have_rows_and_one_destination_receives_no_more_than_its_link) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto result = run(bin + "/ringmark-lab run --hosts 4 --rate 200mbit -- mpirun.mpich -n 4 " + bin +
                          "/ringmark-link --pairs incast:3 --sizes 256K --latency-sizes 8 --max-time 0.3 --csv " +
                          results_.file("incast.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "# 12 links in 4 steps, at most 3 at once")) << result.output;
  EXPECT_TRUE(has(result.output, "incast of 3 to one: 4 destinations receive")) << result.output;
  for (const std::string judged : {"stands out", "is slow", "times the typical time"})
    EXPECT_FALSE(has(result.output, judged)) << "links of an incast are not compared: " << result.output;
  const auto rows = results_.records("incast.csv");
  ASSERT_EQ(rows.size(), 24U);
  std::map<int, int> senders_of;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_EQ(row.settings.senders, 3);
    if (row.collective == LinkTest::bandwidth) ++senders_of[row.link->destination];
  }
  EXPECT_EQ(senders_of, (std::map<int, int>{{0, 3}, {1, 3}, {2, 3}, {3, 3}}));
  // 200 Mbit/s in frames of which 1448 of 1514 bytes are payload; what the shaper's bucket lets through comes on top.
  constexpr double wire_GBps = 0.025 * 1448 / 1514, burst_GBps = 128e3 / 0.3e9;
  const std::string before = "receive a median of ";
  const double received_GBps = std::stod(result.output.substr(result.output.find(before) + before.size()));
  EXPECT_LE(received_GBps, 1.02 * wire_GBps + burst_GBps) << result.output;
  EXPECT_GT(received_GBps, 0);
}

TEST_F(LinksAtOnce, of_an_incast_go_on_without_a_rank_that_dies) {
  const auto file = results_.file("dies.csv");
  const auto result =
      run(bin + "/ringmark-link --ranks 5 --pairs incast:3 --test bandwidth --sizes 64K --max-time 0.5 --csv " + file +
          " & " + until_rows(file, 3) + "; " + kill_rank_1 + "; wait $!; echo status $?");
  EXPECT_TRUE(has(result.output, "status 3")) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
  const auto rows = results_.records("dies.csv");
  EXPECT_EQ(rows.size(), 15U) << "every link of the plan has its row";
  std::size_t with_fewer = 0;
  for (const auto& row : rows) {
    const bool has_rank_1 = row.link->source == 1 || row.link->destination == 1;
    EXPECT_TRUE(has_rank_1 || row.status == Status::ok) << row.detail;
    with_fewer += row.status == Status::ok && row.settings.senders == 2;
  }
  EXPECT_GE(with_fewer, 2U) << "the others of an incast are measured without it";
}

TEST_F(LinksAtOnce, within_one_host_of_a_lab_say_that_they_are) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  const auto result = run(bin + "/ringmark-lab run --hosts 2 --rate 1gbit -- " + bin +
                          "/ringmark-link --ranks 2 --test latency -n 5 --csv " + results_.file("inside.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "# all ranks are on one host of the lab")) << result.output;
  const auto rows = results_.records("inside.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].caveats, std::vector<Caveat>{OneLabHost{}});
}

TEST_F(LinksAtOnce, are_explained_or_refused_before_anything_starts) {
  const auto plan = run(bin + "/ringmark-link --ranks 1024 --pairs all --explain");
  EXPECT_EQ(plan.status, 0) << plan.output;
  EXPECT_TRUE(has(plan.output, "# 1047552 links in 2046 steps, at most 512 at once")) << plan.output;
  for (const std::string bad :
       {"--ranks 4 --pairs incast:4", "--ranks 4 --pairs incast:3 --at-once 2", "--pairs all --explain",
        "--ranks 8 --pairs all --leaf-of 0,1 --explain", "--ranks 5 --rails 2 --pairs all --explain"}) {
    const auto result = run(bin + "/ringmark-link " + bad);
    EXPECT_EQ(result.status, 2) << bad << result.output;
  }
}

/// Two pairs between two leaves with two spines: a hash lays both on one spine half of the time.
TEST_F(LinksAtOnce, that_met_on_one_of_two_spines_are_told_from_ones_that_share_one) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto scan = [&](const std::string& spines) {
    return run(bin + "/ringmark-lab run --leaves 2 --hosts-per-leaf 2 --rate 200mbit --spines " + spines +
               " -- mpirun.mpich -n 4 " + bin +
               "/ringmark-link --pairs all --test bandwidth --sizes 256K --max-time 0.2 --alone 12");
  };
  const auto one = scan("1");
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_TRUE(has(one.output, "share something with others, such as an uplink")) << one.output;
  EXPECT_FALSE(has(one.output, "had put several")) << one.output;
  // Four steps have two such pairs; in one of 16 scans none of them meets.
  std::string all;
  for (int tries = 0; tries < 4 && !has(all, "had put several"); ++tries) all += scan("2").output;
  EXPECT_TRUE(has(all, "had put several")) << all;
}

}  // namespace
}  // namespace ringmark
