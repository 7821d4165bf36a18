#include "replay/import/other_formats.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(OtherFormats, are_told_by_the_bytes_that_xz_wrote) {
  std::ifstream file(RINGMARK_REPLAY_FILES "/gpu_steps.json.xz", std::ios::binary);
  const std::string packed(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(packed.empty());
  EXPECT_THAT(other_format(packed), HasSubstr("xz -dk"));
}

TEST(OtherFormats, are_named_with_a_remedy) {
  EXPECT_THAT(other_format("\x1F\x8B"), HasSubstr("gzip -dk"));
  EXPECT_THAT(other_format("PK\x03\x04"), HasSubstr("unzip"));
  EXPECT_THAT(other_format(std::string(257, 'a') + "ustar"), HasSubstr("tar -xf"));
  EXPECT_THAT(other_format(R"({"schema":"steptrace/5")"), HasSubstr("predict"));
  for (const char* nsight : {"NVIDIA Tegra Profiler Report 2023", "SQLite format 3"})
    EXPECT_THAT(other_format(nsight), AllOf(HasSubstr("Nsight Systems"), HasSubstr("NCCL_DEBUG_SUBSYS")));
  for (const char* chakra : {"\x5E\x12\x10\x0A\x06schema\x61", "{\n  \"workload_graph\": []}"})
    EXPECT_THAT(other_format(chakra), HasSubstr("Chakra graph"));
}

TEST(OtherFormats, are_none_of_those_that_are_read) {
  for (const char* text : {"", "{", "[", R"({"schema": "1.1.1-chakra.0.0.4", "nodes": []})", R"({"traceEvents": []})",
                           "host:1:2 [0] NCCL INFO AllReduce: opCount 0"})
    EXPECT_EQ(other_format(text), "") << text;
}

}  // namespace
}  // namespace ringmark::replay
