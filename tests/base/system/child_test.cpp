#include "base/system/child.hpp"

#include <csignal>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/exit_status.hpp"

namespace ringmark {
namespace {

int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(Child, ends_with_its_bodys_status) {
  EXPECT_EQ(status_of(start_child("count", 0, [] { return 7; })), 7);
  EXPECT_EQ(status_of(start_child("fail", 0, []() -> int { throw std::runtime_error("cannot"); })), exit_failed);
}

TEST(Child, is_sent_a_signal_when_its_parent_ends) {
  const auto signal_at_parents_end = [] {
    int signal = 0;
    ::prctl(PR_GET_PDEATHSIG, &signal);
    return signal;
  };
  EXPECT_EQ(status_of(start_child("ask", SIGTERM, signal_at_parents_end)), SIGTERM);
  EXPECT_EQ(status_of(start_child("ask", 0, signal_at_parents_end)), 0);
}

TEST(Child, becomes_another_program) {
  const std::vector<std::string> words{"sh", "-c", "exit $(($1 + $2))", "sh", "3", "4"};
  const auto run = [&] { return ::execvp("sh", exec_arguments(words).data()); };
  EXPECT_EQ(status_of(start_child("add", 0, run)), 7);
}

}  // namespace
}  // namespace ringmark
