#include "lab/inside.hpp"

#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/files.hpp"
#include "lab/errors.hpp"
#include "lab/holder.hpp"
#include "lab/isolation.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

constexpr std::string_view network_file = "network.json";

Network this_lab() {
  try {
    return nlohmann::json::parse(read_file(lab_path(network_file))).get<Network>();
  } catch (const std::system_error&) {
    throw BadUsage("this works only inside a lab: ringmark-lab run --hosts N -- COMMAND");
  }
}

Counters counters_of(pid_t holder, const std::string& device) {
  return read_counters(read_file(fmt::format("/proc/{}/net/dev", holder)), device);
}

}  // namespace

void publish(const Network& network) { write_lab_file(network_file, nlohmann::json(network).dump()); }

void exec_on_host(const std::string& which, const std::vector<std::string>& command) {
  const auto hosts = this_lab().hosts;
  const Host* host = find_host(hosts, which);
  if (host == nullptr)
    throw BadUsage(fmt::format("\"{}\" is not a host of this lab; its hosts are {} to {}, or {} to {}", which, 0,
                               hosts.size() - 1, hosts.front().address(), hosts.back().address()));
  if (!find_program(command.front())) throw BadUsage(fmt::format("command \"{}\" was not found", command.front()));
  enter_host(host->holder);
  ::execvp(command.front().c_str(), exec_arguments(command).data());
  throw_errno(fmt::format("start {}", command.front()));
}

std::string hosts_listing() {
  std::string listing = "index\thostname\taddress\trate\n";
  for (const Host& host : this_lab().hosts)
    listing += fmt::format("{}\t{}\t{}\t{}\n", host.index, host.name, host.address(), to_string(host.rate));
  return listing;
}

std::string counters_listing() {
  std::string listing = "host\ttx_bytes\trx_bytes\n";
  for (const Host& host : this_lab().hosts) {
    Counters sum;
    for (const Nic& nic : host.nics) {
      const Counters counters = counters_of(host.holder, nic.device);
      sum.sent_bytes += counters.sent_bytes;
      sum.received_bytes += counters.received_bytes;
    }
    listing += fmt::format("{}\t{}\t{}\n", host.name, sum.sent_bytes, sum.received_bytes);
  }
  return listing;
}

std::string link_counters_listing() {
  std::string listing = "link\tend\ttx_bytes\trx_bytes\n";
  const auto network = this_lab();
  for (const Link& link : network.links) {
    const auto& end = link.ends[0];
    const Counters counters = counters_of(network.holder_of(end), end.device);
    listing +=
        fmt::format("{}\t{}\t{}\t{}\n", link.name, network.name_of(end), counters.sent_bytes, counters.received_bytes);
  }
  return listing;
}

Counters read_counters(const std::string& devices, const std::string& device) {
  std::istringstream lines(devices);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos ||
        line.substr(line.find_first_not_of(' '), colon - line.find_first_not_of(' ')) != device)
      continue;
    std::istringstream fields(line.substr(colon + 1));
    Counters counters;
    std::string skipped;
    fields >> counters.received_bytes;
    for (int i = 0; i < 7; ++i) fields >> skipped;  // packets, errs, drop, fifo, frame, compressed, multicast
    fields >> counters.sent_bytes;
    return counters;
  }
  return {};
}

}  // namespace ringmark::lab
