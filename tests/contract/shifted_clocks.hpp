// Ranks as processes whose steady clocks differ by known amounts, for tests: each lives in a time namespace of its own.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap/local_bootstrap.hpp"

namespace ringmark::testing_support {

/// Moves this process's steady clock by `shift`. The process must have no other thread.
inline void shift_clock(std::chrono::seconds shift) {
  constexpr int new_time_namespace = 0x80;  // CLONE_NEWTIME; older headers lack it
  check_sys(::unshare(new_time_namespace), "make a time namespace");
  std::ofstream offsets("/proc/self/timens_offsets");
  if (!(offsets << "monotonic " << shift.count() << " 0\n" << std::flush)) throw_errno("write the clock's offset");
  const FileDescriptor made(check_sys(::open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC), "open it"));
  const auto before = Clock::now();
  check_sys(::setns(made.get(), new_time_namespace), "enter the time namespace");
  if (std::chrono::abs(Clock::now() - before - shift) > std::chrono::milliseconds(500))
    throw_errno("the clock did not move", EINVAL);
}

/// The reason why clocks cannot be shifted by these amounts on this machine; empty if they can.
inline std::string why_no_shifted_clocks(const std::vector<std::chrono::seconds>& shifts) {
  for (const auto shift : shifts) {
    const pid_t child = check_sys(::fork(), "fork");
    if (child == 0) {
      try {
        shift_clock(shift);
      } catch (const std::system_error& error) {
        ::_exit(error.code().value());
      }
      ::_exit(0);
    }
    int raw = 0;
    check_sys(::waitpid(child, &raw, 0), "wait for a child");
    if (const int error = WEXITSTATUS(raw); error != 0)
      return "no clock shifted by " + std::to_string(shift.count()) + " s: " + std::generic_category().message(error);
  }
  return "";
}

/// Runs body(bootstrap) on a rank per shift, as processes; each expectation that fails on a rank fails the test.
inline void with_shifted_clocks(const std::vector<std::chrono::seconds>& shifts,
                                const std::function<void(Bootstrap&)>& body) {
  const int status = run_local_ranks(static_cast<int>(shifts.size()), std::chrono::seconds(60), [&](Bootstrap& ranks) {
    const auto shift = shifts[static_cast<std::size_t>(ranks.rank())];
    if (shift != std::chrono::seconds(0)) shift_clock(shift);
    body(ranks);
    ranks.finish(0);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(status, 0) << "a rank failed; its messages stand above";
}

}  // namespace ringmark::testing_support
