// The nightly check as cron, systemd, Slurm and Kubernetes run it.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/history/stores.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::history {
namespace {

using namespace testing_support;

const std::string files = RINGMARK_SOURCE_DIR "/history/nightly";

class Nightly : public StoreTest {
 protected:
  Nightly() {
    std::ofstream(path("nightly.yaml")) << "question: Is it kept?\nprogram: all-reduce\nlauncher: none\nranks: 2\n"
                                           "arguments: {sizes: [4K], iters: 5, warmup: 1, in-place: \"no\"}\n";
  }
  /// Of lines in which ringmark's programs are found.
  ShellResult sh(const std::string& lines) const { return run(fmt::format("PATH={}:{}:$PATH; {}", files, bin, lines)); }
  /// A launch each day until yesterday, of which the last are slower.
  void add_slower_launches(const std::string& cluster = "default") {
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    for (int number = 0; number < 60; ++number) {
      const auto row = row_of(fmt::format("run-{}", number), (number < 40 ? 10 : 13) + 0.01 * (number % 3));
      add(store(),
          contents_of(fmt::format("day-{}", number), {launch_of(today - std::chrono::days(60 - number), {row})}),
          cluster);
    }
    close();
  }
  /// The epilog for this folder, in which ringmark's programs are found. Returns its path.
  std::string write_epilog() const {
    std::ifstream file(files + "/epilog");
    std::string text(std::istreambuf_iterator<char>(file), {});
    const std::string folder = "/var/lib/ringmark", paths = "PATH=";
    text.replace(text.find(folder), folder.size(), path(""));
    text.replace(text.find(paths), paths.size(), fmt::format("PATH={}:{}:", files, bin));
    const auto written = path("epilog");
    std::ofstream(written) << text;
    std::filesystem::permissions(written, std::filesystem::perms::owner_all);
    return written;
  }
  /// Lets the next epilog measure again.
  void let_a_day_pass() const { run("sleep 1; touch -d '2 days ago' " + path("history.db")); }
};

TEST_F(Nightly, ends_in_a_line_and_a_status) {
  const auto check = "ringmark-nightly " + path("");
  const auto first = sh(check);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_TRUE(first.output.starts_with("ringmark: no change in 1 series; 1 ")) << first.output;
  add_slower_launches();
  const auto slower = sh("sleep 1; " + check);  // runs are named by the second
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_TRUE(has(slower.output, "slower")) << slower.output;
  EXPECT_EQ(std::count(slower.output.begin(), slower.output.end(), '\n'), 1);
  EXPECT_EQ(sh("sleep 1; RINGMARK_SINCE=15d " + check).status, 0) << "the change is accepted";
  EXPECT_EQ(sh("sleep 1; " + check + " --cluster cloud").status, 0) << "another cluster of the store";
  std::filesystem::remove(path("nightly.yaml"));
  EXPECT_EQ(sh("sleep 1; " + check).status, 3);
  EXPECT_EQ(sh("ringmark-nightly").status, 2);
}

TEST_F(Nightly, cron_mails_only_what_became_slower) {
  std::ifstream file(files + "/ringmark.cron");
  std::string line;
  while (std::getline(file, line) && line.starts_with('#')) continue;
  constexpr std::string_view user = " ringmark ";
  auto command = line.substr(line.find(user) + user.size());
  command.replace(command.find("/srv/ringmark"), std::string("/srv/ringmark").size(), path(""));
  EXPECT_EQ(command.find('%'), std::string::npos) << "cron takes it for the end of the line";
  EXPECT_EQ(sh(command).output, "");
  add_slower_launches();
  EXPECT_TRUE(has(sh("sleep 1; " + command).output, "slower"));
}

TEST_F(Nightly, slurms_epilog_fails_only_on_what_became_slower) {
  const auto epilog =
      "logger() { shift 2; echo \"$@\"; }; export -f logger; SLURMD_NODENAME=default bash " + write_epilog();
  const auto first = sh(epilog);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_TRUE(has(first.output, "no change")) << first.output;
  EXPECT_EQ(sh(epilog).output, "") << "once a day";
  add_slower_launches();
  let_a_day_pass();
  EXPECT_EQ(sh(epilog).status, 1);
}

TEST_F(Nightly, slurm_drains_a_node_that_became_slower) {
  const std::string slurm = "bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm ";
  const auto cluster = run(fmt::format("{}start {} Epilog={}", slurm, path("."), write_epilog()));
  if (cluster.status != 0) GTEST_SKIP() << "no Slurm: " << cluster.output;
  // The epilog runs after the job, and the node is "completing" until it has ended.
  const auto state_after_a_job = [&] {
    return run(fmt::format("export SLURM_CONF={}; srun true; until sinfo -h -o %T | grep -qE '^(idle|drained)'; do "
                           "sleep 0.1; done; sinfo -h -o '%T %E'",
                           path("slurm.conf")))
        .output;
  };
  EXPECT_TRUE(state_after_a_job().starts_with("idle"));
  EXPECT_TRUE(std::filesystem::exists(path("history.db")));
  add_slower_launches(run("printf %s $(hostname -s)").output);
  let_a_day_pass();
  const auto state = state_after_a_job();
  EXPECT_TRUE(state.starts_with("drained") && has(state, "pilog")) << state;
  run(slurm + "stop " + path("."));
}

TEST_F(Nightly, systemd_takes_the_units) {
  if (run("command -v systemd-analyze").status != 0) GTEST_SKIP() << "there is no systemd-analyze";
  const auto verified = run(
      fmt::format("cp {0}/*.service {0}/*.timer {1}; sed -i -e 's|/usr/bin/ringmark-nightly|{0}/ringmark-nightly|' -e "
                  "'s|/usr/bin/|{2}/|' -e '/^User=/d' -e '/^Documentation=/d' {1}/*.service; systemd-analyze verify "
                  "{1}/*.timer {1}/*.service",
                  files, path("."), bin));
  if (has(verified.output, "Failed to initialize manager")) GTEST_SKIP() << verified.output;
  EXPECT_EQ(verified.status, 0) << verified.output;
  EXPECT_FALSE(has(verified.output, "ringmark-")) << verified.output;
}

TEST_F(Nightly, kubernetes_takes_the_cron_job) {
  if (run("command -v kubernetes-validate").status != 0) GTEST_SKIP() << "there is no kubernetes-validate (by pip)";
  const auto validated = run("kubernetes-validate --strict --no-warn " + files + "/cronjob.yaml");
  EXPECT_EQ(validated.status, 0) << validated.output;
}

}  // namespace
}  // namespace ringmark::history
