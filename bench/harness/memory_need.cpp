#include "bench/harness/memory_need.hpp"

#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"
#include "transports/bootstrap/host_identity.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// The bytes that a rank will allocate, and the bytes free on its host. Hosts with the same name and machine, such as
/// two containers, share memory.
struct MemoryNeed {
  HostIdentity host;
  double needed = 0, available = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryNeed, host, needed, available)

}  // namespace

void require_memory(Bootstrap& bootstrap, double bytes, std::string_view what, std::string_view remedy) {
  struct Host {
    int ranks = 0;
    double needed = 0, available = 0;
  };
  std::map<std::pair<std::string, std::string>, Host> hosts;
  const MemoryNeed mine{this_host(), bytes, static_cast<double>(available_memory_bytes().value_or(SIZE_MAX))};
  for (const auto& need : exchange(bootstrap, "memory need", mine)) {
    auto& host = hosts[{need.host.name, need.host.machine}];
    ++host.ranks;
    host.needed += need.needed;
    host.available = need.available;
  }
  for (const auto& [machine, host] : hosts) {
    if (host.needed <= host.available) continue;
    throw BadUsage(fmt::format("{}: {} rank(s) on {} need {:.1f} GB of memory, but only {:.1f} GB are free; {}", what,
                               host.ranks, machine.first, host.needed / 1e9, host.available / 1e9, remedy));
  }
}

}  // namespace ringmark
