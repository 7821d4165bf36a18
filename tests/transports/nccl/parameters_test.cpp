#include "transports/nccl/parameters.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string why_wrong(std::string_view name, std::string_view value) {
  const auto problem = problem_of_parameter(name, value);
  return problem ? to_text(*problem) : "";
}

TEST(NcclParameters, are_each_there_once_with_all_that_is_asked_of_them) {
  std::set<std::string_view> names;
  for (const auto& parameter : nccl_parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_TRUE(parameter.name.starts_with("NCCL_"));
    EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
    EXPECT_FALSE(parameter.affects.empty()) << parameter.name;
    EXPECT_FALSE(parameter.default_value.empty()) << parameter.name;
  }
  for (const auto* talked_of :
       {"NCCL_ALGO", "NCCL_CROSS_NIC", "NCCL_NTHREADS", "NCCL_SOCKET_NTHREADS", "NCCL_NSOCKS_PERTHREAD",
        "NCCL_MIN_NCHANNELS", "NCCL_SOCKET_IFNAME", "NCCL_IB_DISABLE", "NCCL_CHECK_DISABLE", "NCCL_SET_STACK_SIZE"})
    EXPECT_TRUE(names.contains(talked_of)) << talked_of;
}

TEST(NcclParameters, take_what_nccl_takes) {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"NCCL_ALGO", "Ring,tree"},
                                                        {"NCCL_ALGO", "^NVLS"},
                                                        {"NCCL_ALGO", "Ring;allreduce:Tree"},
                                                        {"NCCL_PROTO", "Simple"},
                                                        {"NCCL_NTHREADS", "256"},
                                                        {"NCCL_IB_TC", "0x6a"},
                                                        {"NCCL_IB_TC", "-1"},
                                                        {"NCCL_NET_GDR_LEVEL", "PHB"},
                                                        {"NCCL_NET", "MyPlugin"},
                                                        {"NCCL_SOCKET_IFNAME", "=eth0"},
                                                        {"NCCL_DEBUG", "whatever"},
                                                        {"NCCL_VERSION", "2.28.9"},
                                                        {"NCCL_PXN_DISABLE", "1"},
                                                        {"NCCL_DEBUG_TIMESTAMP_FORMAT", "x"}})
    EXPECT_EQ(why_wrong(name, value), "") << name << "=" << value;
}

TEST(NcclParameters, name_what_is_wrong_and_what_is_legal) {
  EXPECT_THAT(why_wrong("NCCL_NTHREADS", "100"), HasSubstr("64 to 512, in steps of 32"));
  EXPECT_THAT(why_wrong("NCCL_NTHREADS", "abc"), HasSubstr("read it as 0"));
  EXPECT_THAT(why_wrong("NCCL_NTHREADS", "99999999999999999999"), HasSubstr("take its default"));
  EXPECT_THAT(why_wrong("NCCL_ALGO", "Foo"), AllOf(HasSubstr("'foo'"), HasSubstr("Tree, Ring")));
  EXPECT_THAT(why_wrong("NCCL_ALGO", "NVLS_Tree"), HasSubstr("unknown"));
  EXPECT_THAT(why_wrong("NCCL_ALGO", "Ring;Tree"), HasSubstr("only the first part"));
  EXPECT_THAT(why_wrong("NCCL_ALGO", "alltoall:Ring"), HasSubstr("'alltoall'"));
  EXPECT_THAT(why_wrong("NCCL_NET_GDR_LEVEL", "phb"), HasSubstr("give one of LOC"));
  EXPECT_THAT(why_wrong("NCCL_IB_DISABLE", "yes"), HasSubstr("0 or 1"));
  EXPECT_THAT(why_wrong("NCCL_ALG0", "Ring"), HasSubstr("NCCL_ALGO?"));
  EXPECT_THAT(why_wrong("NCCL_CHECK_DISABLE", "1"), HasSubstr("never had it"));
  EXPECT_THAT(why_wrong("NCCL_BUFFSIZE", ""), HasSubstr("empty"));
}

TEST(NcclParameters, are_numbers_that_every_reader_takes_for_the_same) {
  for (const char* value : {"--4194304", "0x-1", "0512", "4M", "1e6", ""})
    EXPECT_FALSE(parameter_number(value)) << value;
  EXPECT_EQ(parameter_number("0x10"), 16);
  EXPECT_EQ(parameter_number("-2"), -2);
  EXPECT_EQ(parameter_number("0"), 0);
  EXPECT_THAT(why_wrong("NCCL_BUFFSIZE", "4M"), HasSubstr("read it as 4"));
  for (const char* value : {"e", "^"})
    EXPECT_THAT(why_wrong("NCCL_SOCKET_IFNAME", value), HasSubstr("fewer than two characters")) << value;
  for (const char* value : {"^=", ",,"})
    EXPECT_THAT(why_wrong("NCCL_SOCKET_IFNAME", value), HasSubstr("names no interface")) << value;
  for (const char* value : {"==eth0", "=^eth0", "eth0,^lo"})
    EXPECT_THAT(why_wrong("NCCL_SOCKET_IFNAME", value), HasSubstr("cannot be an interface name")) << value;
  for (const char* value : {"eth", "=lo", "^docker,lo", "^=eth0", "eth0,x", "^l", "zz,l", "eth0,"})
    EXPECT_EQ(why_wrong("NCCL_SOCKET_IFNAME", value), "") << value;
  EXPECT_THAT(why_wrong("NCCL_CHECKS_DISABLE", "1"), HasSubstr("2.2.12"));
}

TEST(NcclNames, have_the_version_that_brought_them) {
  EXPECT_EQ(nccl_name_history("NCCL_ALGO").since, 0) << "older than all that were looked at";
  EXPECT_EQ(nccl_name_history("NCCL_WIN_ENABLE").since, 22703);
  EXPECT_EQ(nccl_name_history("NCCL_WIN_ENABLE").last_without, 22605);
  EXPECT_EQ(nccl_name_history("NCCL_WORK_FIFO_DEPTH").gone, 22203);
  EXPECT_EQ(nccl_name_history("NCCL_SYM_REUSE_SYSMEM_HANDLES").last_without, 23003);
  EXPECT_EQ(nccl_name_history("NCCL_GIN_NCONTEXTS").gone, 23003);
  EXPECT_TRUE(is_known_to_nccl("NCCL_IB_RAIL_POLICY")) << "of 2.32";
  EXPECT_FALSE(is_known_to_nccl("NCCL_SPEED_UP"));
  EXPECT_THAT(parameter_listing(), HasSubstr("once per process; since 2.27.3"));
}

TEST(NcclWords, follow_the_grammar) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_allowed("NCCL_PROTO", "", "all_reduce"), (Words{"LL", "LL128", "Simple"}));
  EXPECT_EQ(words_allowed("NCCL_PROTO", "^LL128", "all_reduce"), (Words{"LL", "Simple"}));
  EXPECT_EQ(words_allowed("NCCL_ALGO", "Ring;allreduce:tree", "all_reduce"), Words{"Tree"});
  EXPECT_EQ(words_allowed("NCCL_ALGO", "Ring;allreduce:tree", "all_gather"), Words{"Ring"});
}

}  // namespace
}  // namespace ringmark
