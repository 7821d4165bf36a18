#include "bench/harness/startup.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const RunOptions& options, const std::string& samples) {
  try {
    static_cast<void>(open_files(options, samples));
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(OpenFiles, two_flags_for_one_file_are_refused_and_the_file_is_kept) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("r"), also = folder.file("./r");
  std::ofstream(path) << "text";
  RunOptions options;
  options.csv_path = path;
  options.json_path = also;
  EXPECT_THAT(refusal(options, ""), AllOf(HasSubstr("--csv and --json"), HasSubstr(path)));
  options.json_path = "";
  EXPECT_THAT(refusal(options, path), HasSubstr("--csv and --samples"));
  options.failures_path = path;
  EXPECT_THAT(refusal(options, ""), HasSubstr("--csv and --failures"));
  EXPECT_EQ(read_if_readable(path), "text");
  options = {};
  options.csv_path = options.json_path = folder.file("new");
  EXPECT_THAT(refusal(options, ""), HasSubstr("--csv and --json"));
}

TEST(OpenFiles, several_flags_may_name_one_device) {
  RunOptions options;
  options.csv_path = "/dev/null";
  EXPECT_EQ(refusal(options, "/dev/null"), "");
}

}  // namespace
}  // namespace ringmark
