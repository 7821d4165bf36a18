// scripts/compare-plans: the plan against published splits (tests/replay/files/parallel_published_steps.csv: MLPerf
// Training and NVIDIA's performance summaries).

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {
namespace {

TEST(ComparePlans, judges_published_splits_and_gives_reasons_for_others) {
  if (run("python3 -c 'import csv, json'").status != 0) GTEST_SKIP() << "there is no python3";
  const ResultFolder folder;
  const std::string root = RINGMARK_SOURCE_DIR;
  const auto result = run(root + "/scripts/compare-plans " + root +
                          "/tests/replay/files/parallel_published_steps.csv --analyze " + RINGMARK_BIN_DIR +
                          "/ringmark-analyze --only '^mlperf-v5.1-llama31_8b-(hpf_n8|SR780aV3)|^bridge-249$' --json " +
                          folder.file("cases.json"));
  ASSERT_EQ(result.status, 0) << result.output;
  const auto cases = nlohmann::json::parse(std::ifstream(folder.file("cases.json")));
  std::size_t judged = 0, skipped = 0;
  for (const auto& each : cases) {
    if (each.at("agrees").is_null()) {
      EXPECT_FALSE(each.at("skipped").get<std::string>().empty());
      ++skipped;
      continue;
    }
    EXPECT_GE(each.at("ratio").get<double>(), 1) << "the best is the best";
    EXPECT_EQ(each.at("agrees").get<bool>(), each.at("ratio").get<double>() <= 1.1);
    ++judged;
  }
  EXPECT_GE(judged, 1U);
  EXPECT_GE(skipped, 1U) << "FP4";
  EXPECT_NE(run(root + "/scripts/compare-plans " + root + "/README.md").status, 0);
}

}  // namespace
}  // namespace ringmark::testing_support
