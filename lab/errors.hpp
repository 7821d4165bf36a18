// The exceptions of ringmark-lab and its exit statuses.
#pragma once

#include <stdexcept>

namespace ringmark::lab {

constexpr int exit_usage = 2;
constexpr int exit_failed = 3;
constexpr int exit_unavailable = 4;
constexpr int exit_timeout = 124;        // like timeout(1)
constexpr int exit_cannot_start = 126;   // like a shell
constexpr int exit_ssh_failure = 255;    // like ssh: launchers take it for a failed connection
constexpr int exit_signal_offset = 128;  // plus the signal's number

/// The request is wrong; nothing was created.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// This machine lacks something; the message names it and the remedy.
class Unavailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Something failed after the lab was created.
class Failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ringmark::lab
