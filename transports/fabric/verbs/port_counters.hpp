// What a port's own counters say, as the kernel shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

class PortCounters {
 public:
  PortCounters(const std::filesystem::path& sysfs, const Port& port, const GidEntry& gid);

  /// Bytes that left through the port; through its network interface where the device counts packets only.
  std::optional<std::uint64_t> sent_bytes() const;
  /// Times that something was sent again. Waits until the kernel looks at the device anew, some milliseconds.
  std::optional<std::uint64_t> retransmits() const;
  /// What tells of congestion and losses, as drivers name it; each has some of them.
  static std::vector<std::string> event_names();
  /// In that order; 0 for what the device does not count.
  std::vector<std::uint64_t> events() const;

 private:
  void wait_until_fresh() const;

  std::filesystem::path port_, interface_;
};

}  // namespace ringmark
