// What a process inside a lab can ask for.
#pragma once

#include <string>
#include <vector>

#include "lab/hosts.hpp"

namespace ringmark::lab {

/// Called while the lab is made: lets the functions below find the hosts.
void publish_hosts(const std::vector<Host>& hosts);

/// All throw UsageError outside a lab.
[[noreturn]] void exec_on_host(const std::string& which, const std::vector<std::string>& command);
std::string hosts_listing();
std::string counters_listing();

/// Of a device in the text of /proc/PID/net/dev; zeroes if it is not there.
struct Counters {
  unsigned long long received_bytes = 0;
  unsigned long long sent_bytes = 0;
};
Counters read_counters(const std::string& devices, const std::string& device);

}  // namespace ringmark::lab
