#include "base/problem.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

TEST(Problem, is_printed_with_the_parts_that_it_has) {
  EXPECT_EQ(to_text({.flag = "--iters",
                     .value = "0",
                     .text = "give a number",
                     .remedy = "change it",
                     .place = Place{"s.yaml", 4}}),
            "s.yaml:4: --iters 0: give a number; change it");
  EXPECT_EQ(to_text({.flag = "--iters", .text = "is missing"}), "--iters: is missing");
  EXPECT_EQ(to_text({.flag = "NCCL_ALGO", .value = "Rang", .text = "is unknown"}), "NCCL_ALGO=Rang: is unknown");
  EXPECT_EQ(to_text({.text = "nothing to do"}), "nothing to do");
}

TEST(BadUsage, carries_its_problems) {
  const BadUsage error(std::vector<Problem>{{.flag = "-a", .text = "x"}, {.flag = "-b", .text = "y"}});
  ASSERT_EQ(error.problems().size(), 2U);
  EXPECT_EQ(error.problems()[1].flag, "-b");
  EXPECT_STREQ(error.what(), "-a: x\n-b: y");
  EXPECT_EQ(BadUsage("no").problems().front(), Problem{.text = "no"});
}

}  // namespace
}  // namespace ringmark
