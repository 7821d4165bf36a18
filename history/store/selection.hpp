// Which launches a question is about.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ringmark::history {

/// Empty fields select everything.
struct Selection {
  std::string cluster, host;
  std::optional<std::chrono::sys_seconds> since, until;  ///< `until` itself is excluded

  /// In seconds since 1970.
  std::int64_t since_s() const { return seconds_of(since, std::numeric_limits<std::int64_t>::min()); }
  std::int64_t until_s() const { return seconds_of(until, std::numeric_limits<std::int64_t>::max()); }

 private:
  static std::int64_t seconds_of(const std::optional<std::chrono::sys_seconds>& time, std::int64_t otherwise) {
    return time ? static_cast<std::int64_t>(time->time_since_epoch().count()) : otherwise;
  }
};

}  // namespace ringmark::history
