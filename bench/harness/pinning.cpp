#include "bench/harness/pinning.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "transports/exchange.hpp"

namespace ringmark {

namespace {

struct Cores {
  std::string boot_id;  ///< the same in all namespaces of a machine
  std::vector<int> usable;
  bool operator==(const Cores&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cores, boot_id, usable)

}  // namespace

CoreShare core_share(Bootstrap& bootstrap) {
  std::vector<int> cores;
  try {
    cores = usable_cores();
  } catch (const std::system_error&) {
    // Unknown cores: assume that no other rank shares them.
  }
  const Cores own{read_text_if_readable("/proc/sys/kernel/random/boot_id"), cores};
  const auto all = exchange(bootstrap, "cores", own);
  if (cores.empty()) return {};
  return {.ranks = static_cast<int>(std::count(all.begin(), all.end(), own)),
          .number = static_cast<int>(std::count(all.begin(), all.begin() + bootstrap.rank(), own)),
          .cores = static_cast<int>(cores.size())};
}

Pinning pin(const std::string& how, const CoreShare& share, const std::string& interface) {
  if (how == "auto" && share.is_tight()) {
    try {
      return {std::make_shared<StickyCore>(share.number), ""};
    } catch (const std::system_error&) {
      return {};  // not requested
    }
  }
  if (how != "core" && how != "numa") return {};
  const auto near = cores_near(interface);
  if (how == "numa" && !near)
    return {nullptr, fmt::format("tcp.pin=numa has no effect: {} reports no NUMA node", interface)};
  auto cores = near ? usable_of(*near) : usable_cores();
  if (how == "numa" && cores.empty())
    return {nullptr, fmt::format("tcp.pin=numa has no effect: no core near {} may be used", interface)};
  if (how == "core") {
    if (static_cast<std::size_t>(share.ranks) > cores.size()) cores = usable_cores();
    cores = {cores[static_cast<std::size_t>(share.number) % cores.size()]};
  }
  try {
    bind_to(cores);
  } catch (const std::system_error& error) {
    throw BadUsage(fmt::format("--set tcp.pin={}: {}", how, error.what()));
  }
  return {};
}

}  // namespace ringmark
