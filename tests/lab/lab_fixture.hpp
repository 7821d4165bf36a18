// Runs a command in a lab of the real program.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lab/lab_process.hpp"

namespace ringmark::lab {

using Words = std::vector<std::string>;

inline Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Skips where no lab can be made.
class LabTest : public testing::Test {
 protected:
  void SetUp() override {
    const Finished probe = run_lab({"run", "--hosts", "1", "--rate", "1gbit", "--", "true"});
    if (probe.status == 4 || probe.status == 127) GTEST_SKIP() << "no lab here: " << probe.errors;
    ASSERT_EQ(probe.status, 0) << probe.errors;
  }

  /// `run OPTIONS -- bash -c SCRIPT`; in the script $lab is ringmark-lab and $traffic sends and receives.
  static Words script(Words options, const std::string& text) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string names = fmt::format("lab='{}'; traffic='{} --traffic'\n", lab_binary(), self);
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", "bash", "-c", names + text});
    return options;
  }
};

}  // namespace ringmark::lab
