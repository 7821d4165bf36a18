// The lab's hosts with names and addresses, and the table in which a process inside the lab finds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "lab/options.hpp"
#include "lab/rate.hpp"

namespace ringmark::lab {

struct Host {
  int index = 0;
  std::string name;      // host-2
  std::string address;   // 10.77.0.3
  std::string address6;  // fd77::3, with the same last digits
  Rate rate;
  pid_t holder = 0;  // the process that keeps the host's namespaces
};

/// The planned hosts, without holders.
std::vector<Host> plan_hosts(const RunOptions& options);

/// By number, name or address; nullptr if there is none.
const Host* find_host(const std::vector<Host>& hosts, std::string_view which);

/// One line per host; read_table reads the text of format_table.
std::string format_table(const std::vector<Host>& hosts);
std::vector<Host> read_table(std::string_view table);

}  // namespace ringmark::lab
