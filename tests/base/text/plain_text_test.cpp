#include "base/text/plain_text.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(PlainText, is_that_of_the_tool) {
  EXPECT_EQ(plain_text("\\# Size  \\[0\\] all\\_reduce\\_perf"), "# Size  [0] all_reduce_perf");
  EXPECT_EQ(plain_text("[1,0]&lt;stdout&gt;:&#35; a &amp; b"), "[1,0]<stdout>:# a & b");
  EXPECT_EQ(plain_text("8\u00A0\u00A0float \u22121"), "8  float -1");
  EXPECT_EQ(plain_text("\x1b[0;32m8\x1b[0m \x1b]0;title\x07 16"), "8  16");
}

TEST(PlainText, stays_as_it_is_otherwise) {
  for (const char* line : {"", "  8 2.5", "C:\\tools\\IMB-MPI1.exe", "a & b && c", "gr\u00FC\u00DFe", "mpirun \\"})
    EXPECT_EQ(plain_text(line), line);
}

TEST(PlainText, may_end_within_a_sequence) {
  for (const char* line : {"8\x1b", "8\x1b[", "8\x1b[0;3", "8\x1b]0;t"}) EXPECT_EQ(plain_text(line), "8");
}

}  // namespace
}  // namespace ringmark
