// An RDMA port's own counters, as the kernel shows them.
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

  /// Bytes sent through the port, or through its network interface if the device counts only packets.
  std::optional<std::uint64_t> sent_bytes() const;
  /// Number of retransmissions. Waits some milliseconds until the kernel reads the device again.
  std::optional<std::uint64_t> retransmits() const;
  /// Drivers' names of the congestion and loss counters; each driver has some of them.
  static std::vector<std::string> event_names();
  /// In the order of event_names(); 0 for events that the device does not count.
  std::vector<std::uint64_t> events() const;

 private:
  void wait_until_fresh() const;

  std::filesystem::path port_, interface_;
};

}  // namespace ringmark
