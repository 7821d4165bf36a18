#include "base/command_line.hpp"

#include <sstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

std::string told(const std::vector<const char*>& words) {
  CLI::App app("A program.");
  app.failure_message(failure_words);
  std::string unused;
  app.add_option("--ranks", unused);
  auto* run = app.add_subcommand("run", "");
  run->add_option("--timeline", unused);
  std::vector<const char*> argv{"program"};
  argv.insert(argv.end(), words.begin(), words.end());
  std::ostringstream output, problems;
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& error) {
    app.exit(error, output, problems);
  }
  return problems.str();
}

TEST(CommandLine, tells_what_was_not_expected_and_what_may_be_meant) {
  const std::string help = "\nRun with --help for more information.\n";
  EXPECT_EQ(told({"--rank", "2"}), "--rank 2: not expected; is --ranks meant?" + help);
  EXPECT_EQ(told({"--rank=2"}), "--rank=2: not expected; is --ranks meant?" + help);
  EXPECT_EQ(told({"run", "--time-line", "x"}), "--time-line x: not expected; is --timeline meant?" + help);
  EXPECT_EQ(told({"--colour"}), "--colour: not expected" + help);
  EXPECT_EQ(told({"--ranks"}).find("not expected"), std::string::npos) << "has no value";
  EXPECT_EQ(told({"--ranks", "2"}), "");
}

}  // namespace
}  // namespace ringmark
