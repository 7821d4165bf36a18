// How ringmark-lab itself fails: the exceptions, and the exit statuses they end with.
#pragma once

#include <stdexcept>

namespace ringmark::lab {

constexpr int exit_usage = 2;
constexpr int exit_failed = 3;
constexpr int exit_unavailable = 4;
constexpr int exit_timeout = 124;        // as timeout(1)
constexpr int exit_cannot_start = 126;   // as a shell's
constexpr int exit_ssh_failure = 255;    // as ssh's: what the launchers take for a connection that failed
constexpr int exit_signal_offset = 128;  // plus the signal's number

/// The request is wrong. Nothing was created.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// This machine lacks something; the message names it and the remedy.
class Unavailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was created broke by itself.
class Failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ringmark::lab
