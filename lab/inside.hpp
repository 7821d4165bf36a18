// The subcommands for processes inside a lab.
#pragma once

#include <string>
#include <vector>

#include "lab/network.hpp"

namespace ringmark::lab {

/// Call while the lab is being created: it lets the functions below find the hosts.
void publish(const Network& network);

/// All throw BadUsage outside a lab.
[[noreturn]] void exec_on_host(const std::string& which, const std::vector<std::string>& command);
std::string hosts_listing();
std::string counters_listing();
/// The bytes that each link has transferred, as counted by the device at its first end.
std::string link_counters_listing();

/// A device's counters in the text of /proc/PID/net/dev; zeros if it is missing.
struct Counters {
  unsigned long long received_bytes = 0;
  unsigned long long sent_bytes = 0;
};
Counters read_counters(const std::string& devices, const std::string& device);

}  // namespace ringmark::lab
