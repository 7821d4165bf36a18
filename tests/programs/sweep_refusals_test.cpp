// Sweeps that ringmark-sweep refuses before it starts anything, and what it says of one that it would start.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/programs/sweep_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(Sweeps, a_folder_that_cannot_be_used_is_refused_in_words) {
  const auto file = write_sweep("");
  const std::string long_name(300, 'x');
  for (const auto& words : {"run " + file + " -o " + folder(long_name), "resume " + folder(long_name),
                            "run " + folder(long_name) + " -o " + folder("y")}) {
    const auto result = run(sweep(words));
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_FALSE(has(result.output, "filesystem error")) << result.output;
  }
  std::filesystem::create_directory(folder("private"));
  std::filesystem::permissions(folder("private"), std::filesystem::perms::none);
  const std::string somebody = ::geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  std::filesystem::permissions(results_.path(), std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add);
  for (const auto& words : {"run " + file + " -o " + folder("private/x"), "resume " + folder("private/x")}) {
    const auto result = run(somebody + sweep(words));
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_TRUE(has(result.output, "Permission denied")) << result.output;
  }
  std::filesystem::permissions(folder("private"), std::filesystem::perms::owner_all);
}

TEST_F(Sweeps, damaged_results_are_told_before_anything_is_launched) {
  const auto file = write_sweep("variables: {iters: [1, 2]}\nrepetitions: 3\n");
  ASSERT_EQ(run(sweep("run " + file + " -o " + folder("d"))).status, 0);
  const auto result =
      run("sed -i '3s/1024/1025/; ' " + folder("d/results.csv") + "; " + sweep("resume " + folder("d")));
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_TRUE(has(result.output, "launch 2")) << result.output;
  std::ofstream(folder("d/manifest.json")) << "{\"sittings\":3}";
  const auto fixed = run("sed -i '3s/1025/1024/' " + folder("d/results.csv") + "; sed -i '$d' " + folder("d/journal") +
                         "; rm " + folder("d/samples.jsonl") + "; " + sweep("resume " + folder("d")));
  EXPECT_EQ(fixed.status, 0) << fixed.output;
  EXPECT_EQ(rows_in("d").size(), 6U);
  EXPECT_TRUE(has(fixed.output, "manifest.json.damaged")) << fixed.output;
}

TEST_F(Sweeps, a_sweep_of_a_lab_goes_on_elsewhere_only_if_that_is_meant) {
  const auto file = write_sweep("repetitions: 2\n");
  const std::string lab =
      "RINGMARK_LAB_FABRIC='{\"hosts\":[\"host-0\",\"host-1\"]}' "
      "RINGMARK_LAB_LINKS='[{\"name\":\"host-0\",\"hosts\":[\"host-0\"],\"bits_per_s\":5e8}]' ";
  ASSERT_EQ(run(lab + sweep("run " + file + " -o " + folder("l"))).status, 0);
  ASSERT_EQ(run("sed -i '$d' " + folder("l/journal")).status, 0);
  const auto elsewhere = run(sweep("resume " + folder("l")));
  EXPECT_EQ(elsewhere.status, 2) << elsewhere.output;
  EXPECT_TRUE(has(elsewhere.output, "host-[0-1]") && has(elsewhere.output, "--other-hosts")) << elsewhere.output;
  EXPECT_EQ(rows_in("l").size(), 1U);
  const auto meant = run(sweep("resume --other-hosts " + folder("l")));
  EXPECT_EQ(meant.status, 0) << meant.output;
  EXPECT_EQ(rows_in("l").size(), 2U);
  EXPECT_EQ(run(sweep("resume " + folder("l"))).status, 0) << "nothing is left to run";
}

TEST_F(Sweeps, bad_input_is_refused_with_status_2_before_anything_starts) {
  const auto refused = [&](const std::string& words, const std::string& what) {
    const auto result = run(sweep(words));
    EXPECT_EQ(result.status, 2) << words << ": " << result.output;
    EXPECT_TRUE(has(result.output, what)) << words << ": " << result.output;
  };
  const auto good = write_sweep("");
  refused("run /no/such.yaml -o " + folder("x"), "no such file");
  refused("run " + results_.path() + " -o " + folder("x"), "is a folder");
  refused("run " + good, "-o FOLDER");
  refused("resume " + folder("x"), "contains no sweep");
  refused("fly", "");
  refused("run " + write_sweep("arguments: {itres: 3}\n", "bad.yaml") + " -o " + folder("x"), "bad.yaml:5: ");
  refused("tune " + good + " -o " + folder("x"), "nothing to tune");
  const std::string two = "variables: {transport: [tcp, mpi]}\n";
  refused("tune " + write_sweep(two, "vague.yaml") + " -o " + folder("x"), "tune.objective is missing");
  refused("tune " + write_sweep(two + "tune: {objective: 1G}\n", "far.yaml") + " -o " + folder("x"), "is outside");
  refused(
      "tune " + write_sweep(two + "arguments: {sizes: 1K}\n", "two.yaml") + " --surface " + results_.file("row.csv"),
      "has no row for transport=mpi");
  refused("tune " + good + " --search simplex --surface " + results_.file("row.csv"), "");
  EXPECT_FALSE(std::filesystem::exists(folder("x")));
  ASSERT_EQ(run(sweep("run " + good + " -o " + folder("once"))).status, 0);
  refused("run " + good + " -o " + folder("once"), "already contains a sweep");
  std::ofstream(folder("once") + "/sweep.yaml", std::ios::app) << "# more\n";
  refused("resume " + folder("once"), "has changed since");
}

TEST_F(Sweeps, a_dry_run_prints_every_command_and_starts_nothing) {
  const auto file = write_sweep("variables: {iters: [1, 2], UCX_TLS: [unset, tcp]}\nrepetitions: 2\norder: listed\n");
  const auto result = run(sweep("run --dry-run " + file));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output,
                  results_.file("fake") + " /usr/bin/env UCX_TLS=tcp " + bin + "/ringmark-all-reduce --iters=2\n"))
      << result.output;
  EXPECT_TRUE(has(result.output, "8 launches of 4 settings")) << result.output;
}

TEST_F(Sweeps, the_help_names_the_keys_of_the_file) {
  const auto result = run(sweep("run --help"));
  for (const char* key : {"question", "program", "ranks_per_node", "arguments", "variables", "exclude", "tune"})
    EXPECT_TRUE(has(result.output, fmt::format("\n  {} ", key))) << key << result.output;
}

TEST_F(Sweeps, a_file_of_gigabytes_is_refused_unread) {
  make_file(folder("large.yaml"));
  std::filesystem::resize_file(folder("large.yaml"), 2'200'000'000);
  const auto result = run("ulimit -v 500000; " + sweep("run --dry-run " + folder("large.yaml")));
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_TRUE(has(result.output, "1 MiB")) << result.output;
}

}  // namespace
}  // namespace ringmark
