// Shell lines run as a user would, for tests of whole programs.
#pragma once

#include <array>
#include <filesystem>
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

/// By which sanitizers prolong what a program does.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slowness = 5;
#elif defined(__has_feature)
constexpr int slowness = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 5 : 1;
#else
constexpr int slowness = 1;
#endif

/// Its input stays open and silent: hydra breaks on one that ends. The limit is for programs that hang, and long enough
/// for a busy machine.
inline ShellResult run(const std::string& line, int most_seconds = 100) {
  int input[2], output[2];
  EXPECT_EQ(::pipe(input), 0);
  EXPECT_EQ(::pipe(output), 0);
  const auto limit = std::to_string(slowness * most_seconds);
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

/// A shell command that ends when a condition holds, or with the time limit of run().
inline std::string until(const std::string& condition) { return "until " + condition + "; do sleep 0.02; done"; }

/// Ends when a CSV file has so many rows.
inline std::string until_rows(const std::string& file, int rows) {
  return until("[ $(cat " + file + " 2>/dev/null | wc -l) -gt " + std::to_string(rows) + " ]");
}

/// Rank 1 is the second child of the program that was started last in the background.
inline const std::string kill_rank_1 = "kill -KILL $(pgrep -P $! | sed -n 2p)";

/// Why an MPI ("mpich", "openmpi") cannot be used by this build and on this machine; empty if it can.
inline std::string why_no_mpi(const std::string& name) {
  if (!std::filesystem::exists(bin + "/../lib/ringmark/ringmark-mpi-" + name + ".so"))
    return "this build has no module for " + name;
  return run("mpirun." + name + " --version").status == 0 ? "" : "there is no mpirun." + name;
}

/// Why there can be no cluster in a box here; empty if there can.
inline std::string why_no_lab() {
  const auto probe = run(bin + "/ringmark-lab run --hosts 2 -- true");
  return probe.status == 0 ? "" : "no cluster in a box here: " + probe.output;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace ringmark::testing_support
