// Errors and exit statuses specific to the lab.
#pragma once

#include <stdexcept>

#include "base/errors.hpp"
#include "base/exit_status.hpp"

namespace ringmark::lab {

constexpr int exit_timeout = 124;        // like timeout(1)
constexpr int exit_cannot_start = 126;   // like a shell
constexpr int exit_ssh_failure = 255;    // like ssh; launchers treat it as a failed connection
constexpr int exit_signal_offset = 128;  // plus the signal's number

/// A failure after the lab was created.
class Failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ringmark::lab
