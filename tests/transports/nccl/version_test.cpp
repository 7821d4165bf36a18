#include "transports/nccl/version.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(NcclVersions, are_written_as_nvidia_does_and_read_again) {
  for (const auto& [number, text] : {std::pair{22809, "2.28.9"}, {21605, "2.16.5"}, {2708, "2.7.8"}}) {
    EXPECT_EQ(nccl_version_text(number), text);
    EXPECT_EQ(nccl_version_number(text), number);
  }
  EXPECT_EQ(nccl_version_number("2.17"), 21700);
  EXPECT_EQ(nccl_version_number(""), 0);
}

}  // namespace
}  // namespace ringmark
