#include "transports/nccl/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transports/nccl/conf_files.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NcclEnvironment, are_judged_together) {
  EXPECT_THAT(wrong_parameters({{"NCCL_NSOCKS_PERTHREAD", "2"}, {"NCCL_SOCKET_NTHREADS", "0"}}, 22809),
              ElementsAre(HasSubstr("no helper thread")));
  EXPECT_THAT(wrong_parameters({{"NCCL_NSOCKS_PERTHREAD", "8"}, {"NCCL_SOCKET_NTHREADS", "16"}}, 22809),
              ElementsAre(HasSubstr("NCCL would take 4 per thread")));
  EXPECT_THAT(
      wrong_parameters({{"NCCL_NSOCKS_PERTHREAD", "4"}, {"NCCL_SOCKET_NTHREADS", "9223372036854775807"}}, 22809),
      ElementsAre(HasSubstr("NCCL_SOCKET_NTHREADS=9223372036854775807")))
      << "what is wrong by itself is told once";
  EXPECT_THAT(wrong_parameters({{"NCCL_MIN_NCHANNELS", "8"}, {"NCCL_MAX_CTAS", "4"}}, 22809),
              ElementsAre("NCCL_MIN_NCHANNELS=8: above NCCL_MAX_CTAS=4"));
  EXPECT_THAT(
      wrong_parameters({{"NCCL_ALGO", "Ring"}, {"NCCL_MIN_NCHANNELS", "4"}, {"NCCL_MAX_NCHANNELS", "4"}}, 22809),
      IsEmpty());
}

TEST(NcclEnvironment, unknown_names_are_refused_as_far_as_the_version_is_known) {
  EXPECT_THAT(wrong_parameters({{"NCCL_SPEED_UP", "1"}}, 22809),
              ElementsAre(HasSubstr("NCCL 2.28.9 has no such variable")));
  EXPECT_THAT(wrong_parameters({{"NCCL_SPEED_UP", "1"}}, 23007), ElementsAre(HasSubstr("has no such variable")));
  EXPECT_THAT(wrong_parameters({{"NCCL_SPEED_UP", "1"}}, 23300), IsEmpty()) << "newer than all that were looked at";
  EXPECT_THAT(
      wrong_parameters({{"NCCL_PXN_DISABLE", "1"}, {"NCCL_TESTS_DEVICE", "0"}, {"NCCL_VERSION", "2.28"}}, 22809),
      IsEmpty());
}

TEST(NcclConfFiles, tell_lines_that_nccl_reads_as_something_else) {
  EXPECT_THAT(nccl_conf_problems("# NCCL_ALGO = Ring\nNCCL_ALGO=Ring\n NCCL_PROTO=LL\nNCCL_NET =IB\nNCCL_IB_TC=1\r\n"),
              ElementsAre(HasSubstr("' NCCL_PROTO=LL'"), HasSubstr("'NCCL_NET =IB'"), HasSubstr("carriage return")));
}

TEST(NcclEnvironment, are_refused_where_the_library_is_older) {
  const std::map<std::string, std::string> newer{{"NCCL_MIN_CTAS", "2"}, {"NCCL_RAS_ENABLE", "0"}};
  EXPECT_EQ(wrong_parameters(newer, 22809).size(), 0U);
  EXPECT_EQ(wrong_parameters(newer, 0).size(), 0U) << "nobody knows";
  const auto wrong = wrong_parameters(newer, 21605);
  ASSERT_EQ(wrong.size(), 2U);
  EXPECT_THAT(wrong[0], AllOf(HasSubstr("NCCL_MIN_CTAS=2: "), HasSubstr("2.17"), HasSubstr("2.16.5")));
  EXPECT_THAT(wrong_parameters({{"NCCL_RMA_PLUGIN", "x"}}, 23003), ElementsAre(HasSubstr("NCCL 2.30.7")));
  EXPECT_THAT(wrong_parameters({{"NCCL_RMA_PLUGIN", "x"}}, 23005), IsEmpty()) << "between two that were looked at";
  EXPECT_THAT(wrong_parameters({{"NCCL_WORK_FIFO_DEPTH", "1"}}, 22809), ElementsAre(HasSubstr("no longer")));
}

}  // namespace
}  // namespace ringmark
