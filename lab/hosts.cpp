#include "lab/hosts.hpp"

#include <sstream>

#include <fmt/format.h>

namespace ringmark::lab {

std::vector<Host> plan_hosts(const RunOptions& options) {
  std::vector<Host> hosts;
  for (int i = 0; i < options.hosts; ++i) {
    const auto own = options.host_rates.find(i);
    hosts.push_back({.index = i,
                     .name = fmt::format("host-{}", i),
                     .address = fmt::format("10.77.0.{}", i + 1),
                     .address6 = fmt::format("fd77::{}", i + 1),
                     .rate = own == options.host_rates.end() ? options.rate : own->second});
  }
  return hosts;
}

const Host* find_host(const std::vector<Host>& hosts, std::string_view which) {
  for (const Host& host : hosts)
    if (which == host.name || which == host.address || which == host.address6 || which == std::to_string(host.index))
      return &host;
  return nullptr;
}

std::string format_table(const std::vector<Host>& hosts) {
  std::string table;
  for (const Host& host : hosts)
    table += fmt::format("{} {} {} {} {} {}\n", host.index, host.name, host.address, host.address6,
                         to_string(host.rate), host.holder);
  return table;
}

std::vector<Host> read_table(std::string_view table) {
  std::vector<Host> hosts;
  std::istringstream lines{std::string(table)};
  Host host;
  std::string rate;
  while (lines >> host.index >> host.name >> host.address >> host.address6 >> rate >> host.holder) {
    host.rate = parse_rate(rate).value_or(Rate{});
    hosts.push_back(host);
  }
  return hosts;
}

}  // namespace ringmark::lab
