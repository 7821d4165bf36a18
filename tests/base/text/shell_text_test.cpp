#include "base/text/shell_text.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(ShellText, is_a_comment_in_every_line_and_without_controls) {
  EXPECT_EQ(as_comment("why?\nrm -rf /\r\x1b[2J"), "# why?\n# rm -rf /\\x0d\\x1b[2J\n");
  EXPECT_EQ(as_comment("a\n\nb", "//"), "// a\n// \n// b\n");
}

TEST(ShellText, is_quoted_where_a_shell_would_change_it) {
  EXPECT_EQ(shell_words({"a=b,c", "two words", "it's", ""}), "a=b,c 'two words' 'it'\\''s' ''");
}

}  // namespace
}  // namespace ringmark
