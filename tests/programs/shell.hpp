// Shell lines run as a user would, for tests of whole programs.
#pragma once

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringmark::testing_support {

inline const std::string bin = RINGMARK_BIN_DIR;

struct ShellResult {
  int status;
  std::string output;  ///< both streams
};

/// Its input stays open and silent: hydra breaks on one that ends.
inline ShellResult run(const std::string& line, int most_seconds = 60) {
  int input[2], output[2];
  EXPECT_EQ(::pipe(input), 0);
  EXPECT_EQ(::pipe(output), 0);
  const auto limit = std::to_string(most_seconds);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input[0], 0);
    ::dup2(output[1], 1);
    ::dup2(output[1], 2);
    for (const int fd : {input[0], input[1], output[0], output[1]}) ::close(fd);
    ::execlp("timeout", "timeout", "-k", "5", limit.c_str(), "bash", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(output[1]);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t bytes; (bytes = ::read(output[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  int raw = 0;
  ::waitpid(child, &raw, 0);
  ::close(input[1]);
  ::close(output[0]);
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), text};
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace ringmark::testing_support
