#include "transports/nccl/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"
#include "transports/nccl/conf_files.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> wrong(const std::map<std::string, std::string>& environment, int nccl_version) {
  return testing_support::texts(wrong_parameters(environment, nccl_version));
}

TEST(NcclEnvironment, are_judged_together) {
  EXPECT_THAT(wrong({{"NCCL_NSOCKS_PERTHREAD", "2"}, {"NCCL_SOCKET_NTHREADS", "0"}}, 22809),
              ElementsAre(HasSubstr("no helper thread")));
  EXPECT_THAT(wrong({{"NCCL_NSOCKS_PERTHREAD", "8"}, {"NCCL_SOCKET_NTHREADS", "16"}}, 22809),
              ElementsAre(HasSubstr("NCCL would use 4 per thread")));
  EXPECT_THAT(wrong({{"NCCL_NSOCKS_PERTHREAD", "4"}, {"NCCL_SOCKET_NTHREADS", "9223372036854775807"}}, 22809),
              ElementsAre(HasSubstr("NCCL_SOCKET_NTHREADS=9223372036854775807")))
      << "what is wrong by itself is told once";
  EXPECT_THAT(wrong({{"NCCL_MIN_NCHANNELS", "8"}, {"NCCL_MAX_CTAS", "4"}}, 22809),
              ElementsAre("NCCL_MIN_NCHANNELS=8: is above NCCL_MAX_CTAS=4"));
  EXPECT_THAT(wrong({{"NCCL_ALGO", "Ring"}, {"NCCL_MIN_NCHANNELS", "4"}, {"NCCL_MAX_NCHANNELS", "4"}}, 22809),
              IsEmpty());
}

TEST(NcclEnvironment, unknown_names_are_refused_as_far_as_the_version_is_known) {
  EXPECT_THAT(wrong({{"NCCL_SPEED_UP", "1"}}, 22809), ElementsAre(HasSubstr("NCCL 2.28.9 has no such variable")));
  EXPECT_THAT(wrong({{"NCCL_SPEED_UP", "1"}}, 23007), ElementsAre(HasSubstr("has no such variable")));
  EXPECT_THAT(wrong({{"NCCL_SPEED_UP", "1"}}, 23300), IsEmpty()) << "newer than all that were looked at";
  EXPECT_THAT(wrong({{"NCCL_PXN_DISABLE", "1"}, {"NCCL_TESTS_DEVICE", "0"}, {"NCCL_VERSION", "2.28"}}, 22809),
              IsEmpty());
}

TEST(NcclConfFiles, tell_lines_that_nccl_reads_as_something_else) {
  const auto problems =
      nccl_conf_problems("# NCCL_ALGO = Ring\nNCCL_ALGO=Ring\n NCCL_PROTO=LL\nNCCL_NET =IB\nNCCL_IB_TC=1\r\n", "f");
  EXPECT_THAT(testing_support::texts(problems),
              ElementsAre(HasSubstr("' NCCL_PROTO=LL'"), HasSubstr("'NCCL_NET =IB'"), HasSubstr("carriage return")));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].place, (Place{"f", 3}));
  EXPECT_EQ(problems[2].place, (Place{"f", 5}));
}

TEST(NcclEnvironment, are_refused_where_the_library_is_older) {
  const std::map<std::string, std::string> newer{{"NCCL_MIN_CTAS", "2"}, {"NCCL_RAS_ENABLE", "0"}};
  EXPECT_EQ(wrong(newer, 22809).size(), 0U);
  EXPECT_EQ(wrong(newer, 0).size(), 0U) << "nobody knows";
  const auto found = wrong(newer, 21605);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0], AllOf(HasSubstr("NCCL_MIN_CTAS=2: "), HasSubstr("2.17"), HasSubstr("2.16.5")));
  EXPECT_THAT(wrong({{"NCCL_RMA_PLUGIN", "x"}}, 23003), ElementsAre(HasSubstr("NCCL 2.30.7")));
  EXPECT_THAT(wrong({{"NCCL_RMA_PLUGIN", "x"}}, 23005), IsEmpty()) << "between two that were looked at";
  EXPECT_THAT(wrong({{"NCCL_WORK_FIFO_DEPTH", "1"}}, 22809), ElementsAre(HasSubstr("was removed")));
}

}  // namespace
}  // namespace ringmark
