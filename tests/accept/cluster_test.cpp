#include "accept/cluster.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::accept {
namespace {

sweep::LaunchRows launch_with(const std::vector<Status>& links) {
  sweep::LaunchRows launch;
  launch.failure = "exit status 3";
  for (const auto status : links) {
    launch.rows.emplace_back();
    launch.rows.back().link = LinkEnds{0, 1};
    launch.rows.back().status = status;
  }
  return launch;
}

TEST(Scan, that_goes_on_without_a_failed_link_has_not_failed) {
  auto whole = launch_with({Status::ok, Status::failed, Status::timeout});
  judge_scan(whole, 3);
  EXPECT_EQ(whole.failure, "");
  auto cut = launch_with({Status::ok, Status::failed});
  judge_scan(cut, 3);
  EXPECT_EQ(cut.failure, "exit status 3");
  auto died = launch_with({Status::ok, Status::ok, Status::ok});
  judge_scan(died, 3);
  EXPECT_EQ(died.failure, "exit status 3") << "no link explains it";
  auto silent = launch_with({Status::ok});
  silent.failure.clear();
  judge_scan(silent, 3);
  EXPECT_NE(silent.failure, "");
}

TEST(Scan, that_leaves_out_links_is_told_in_the_words_of_its_ranks) {
  auto launch = launch_with({Status::ok, Status::failed});
  launch.failure.clear();
  launch.rows.back().detail = "lost rank 3";
  judge_scan(launch, 3);
  EXPECT_NE(launch.failure, "");
  EXPECT_EQ(launch.account, launch.failure + ": lost rank 3");
}

TEST(Cluster, tells_flags_that_are_refused_from_hosts_that_fail) {
  const testing_support::ResultFolder folder;
  Criteria criteria;
  criteria.fabric.hosts = {"a", "b", "c"};
  criteria.launcher = {sweep::LauncherKind::custom, {"sh", "-c", "exit 3", "{command}"}, {}};
  LaunchedCluster cluster(criteria, folder.path());
  cluster.measure_on({0, 1, 2});
  EXPECT_NE(cluster.launch("together-001", together_measurement(criteria)).failure, "");
  criteria.launcher.command[2] = "exit 2";
  EXPECT_THROW(cluster.launch("together-001", together_measurement(criteria)), BadUsage);
}

TEST(Cluster, that_rests_heeds_a_signal) {
  const testing_support::ResultFolder folder;
  const Criteria criteria;
  const LaunchedCluster cluster(criteria, folder.path());
  std::raise(SIGTERM);
  EXPECT_THROW(cluster.pause(std::chrono::hours(1)), sweep::Interrupted);
}

TEST(Cluster, keeps_measurements_of_the_same_hosts_only) {
  const testing_support::ResultFolder folder;
  Criteria criteria;
  criteria.fabric.hosts = {"a", "b", "c"};
  LaunchedCluster cluster(criteria, folder.path());
  cluster.measure_on({0, 1, 2});
  std::ofstream(folder.file("links-001.csv")) << "measured";
  cluster.measure_on({0, 1, 2});
  EXPECT_TRUE(std::filesystem::exists(folder.file("links-001.csv")));
  cluster.measure_on({0, 2});
  EXPECT_FALSE(std::filesystem::exists(folder.file("links-001.csv")));
}

}  // namespace
}  // namespace ringmark::accept
