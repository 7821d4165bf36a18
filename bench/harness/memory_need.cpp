#include "bench/harness/memory_need.hpp"

#include <cstdint>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"

namespace ringmark {

void require_memory(Bootstrap& bootstrap, double bytes, std::string_view what, std::string_view remedy) {
  struct Host {
    int ranks = 0;
    double needed = 0, available = 0;
  };
  std::map<std::string, Host> hosts;
  const auto available = available_memory_bytes().value_or(SIZE_MAX);
  for (const auto& card : bootstrap.all_gather(fmt::format("{} {:.0f} {}", host_name(), bytes, available))) {
    std::istringstream words(card);
    std::string name;
    double needed = 0, free = 0;
    words >> name >> needed >> free;
    auto& host = hosts[name];
    ++host.ranks;
    host.needed += needed;
    host.available = free;
  }
  for (const auto& [name, host] : hosts) {
    if (host.needed <= host.available) continue;
    throw BadUsage(fmt::format("{}: {} rank(s) on {} need {:.1f} GB of memory, and {:.1f} GB are free; {}", what,
                               host.ranks, name, host.needed / 1e9, host.available / 1e9, remedy));
  }
}

}  // namespace ringmark
