#include "bench/harness/pinning.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"

namespace ringmark {

Crowd crowd_of(Bootstrap& bootstrap) {
  std::vector<int> cores;
  try {
    cores = usable_cores();
  } catch (const std::system_error&) {
    // A crowd that cannot be told is none.
  }
  const auto own =
      fmt::format("{} {}", read_text_if_readable("/proc/sys/kernel/random/boot_id"), fmt::join(cores, ","));
  const auto all = bootstrap.all_gather(own);
  if (cores.empty()) return {};
  return {.ranks = static_cast<int>(std::count(all.begin(), all.end(), own)),
          .number = static_cast<int>(std::count(all.begin(), all.begin() + bootstrap.rank(), own)),
          .cores = static_cast<int>(cores.size())};
}

Pinning pin(const std::string& how, const Crowd& crowd, const std::string& interface) {
  if (how == "auto" && crowd.is_tight()) {
    try {
      return {std::make_shared<Seat>(crowd.number), ""};
    } catch (const std::system_error&) {
      return {};  // it was not asked for
    }
  }
  if (how != "core" && how != "numa") return {};
  const auto near = cores_near(interface);
  if (how == "numa" && !near)
    return {nullptr, fmt::format("tcp.pin=numa has no effect: {} tells no NUMA node", interface)};
  auto cores = near ? usable_of(*near) : usable_cores();
  if (how == "numa" && cores.empty())
    return {nullptr, fmt::format("tcp.pin=numa has no effect: no core beside {} may be used", interface)};
  if (how == "core") {
    if (static_cast<std::size_t>(crowd.ranks) > cores.size()) cores = usable_cores();
    cores = {cores[static_cast<std::size_t>(crowd.number) % cores.size()]};
  }
  try {
    bind_to(cores);
  } catch (const std::system_error& error) {
    throw BadUsage(fmt::format("--set tcp.pin={}: {}", how, error.what()));
  }
  return {};
}

}  // namespace ringmark
