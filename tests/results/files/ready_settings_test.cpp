#include "results/files/ready_settings.hpp"

#include <gtest/gtest.h>

#include "base/text/shell_text.hpp"

namespace ringmark {
namespace {

TEST(ShellWords, are_taken_by_a_shell_as_they_are_meant) {
  EXPECT_EQ(shell_words({"a b", "it's", "", "$x", "plain-1=2"}), R"('a b' 'it'\''s' '' '$x' plain-1=2)");
}

TEST(SettingKind, is_told_by_the_name) {
  EXPECT_EQ(setting_kind("NCCL_ALGO"), SettingKind::environment);
  EXPECT_EQ(setting_kind("tcp.sockets"), SettingKind::option);
  EXPECT_EQ(setting_kind("in-place"), SettingKind::flag);
  EXPECT_EQ(setting_kind("1A"), SettingKind::flag);
  EXPECT_EQ(argument_of("tcp.sockets", "2"), "--set=tcp.sockets=2");
  EXPECT_EQ(argument_of("sizes", "-1"), "--sizes=-1");
}

TEST(ReadySettings, are_lines_for_a_shell_and_for_nccl) {
  const ReadySettings settings{"faster\nby far",
                               {{"NCCL_ALGO", "allreduce:Tree"}, {"NCCL_PROTO", std::nullopt}, {"OTHER", "it's"}},
                               {"--set=tcp.interface=a b", "--sizes=1M"}};
  EXPECT_EQ(best_env(settings),
            "# faster\n# by far\nexport NCCL_ALGO=allreduce:Tree\nunset NCCL_PROTO\nexport OTHER='it'\\''s'\n"
            "export RINGMARK_ARGUMENTS=''\\''--set=tcp.interface=a b'\\'' --sizes=1M'\n");
  EXPECT_EQ(nccl_conf(settings), "# faster\n# by far\nNCCL_ALGO=allreduce:Tree\n");
  EXPECT_EQ(nccl_conf({"none", {{"NCCL_PROTO", std::nullopt}}, {}}), "");
  EXPECT_TRUE(ReadySettings{}.are_none());
}

}  // namespace
}  // namespace ringmark
