#include "base/system/affinity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "base/system/check.hpp"
#include "base/system/files.hpp"

namespace ringmark {
namespace {

/// Larger than one cpu_set_t with its 1024 cores, since the kernel rejects a set smaller than its own.
using CoreSet = std::array<cpu_set_t, 8>;
constexpr int most_cores = 8 * CPU_SETSIZE;

}  // namespace

std::vector<int> cores_in(std::string_view list) {
  std::vector<int> cores;
  const char* at = list.data();
  const char* const end = list.data() + list.size();
  while (at != end) {
    int first = 0, last = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    last = first;
    if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || first < 0 || last >= most_cores) break;
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return cores;
}

std::optional<std::vector<int>> cores_near(std::string_view interface) {
  const auto node = cores_in(read_text_if_readable(fmt::format("/sys/class/net/{}/device/numa_node", interface)));
  if (node.empty()) return std::nullopt;  // "-1" means that the device belongs to no node
  return cores_in(read_text_if_readable(fmt::format("/sys/devices/system/node/node{}/cpulist", node.front())));
}

std::vector<int> usable_cores() {
  CoreSet set{};
  check_sys(::sched_getaffinity(0, sizeof set, set.data()), "read the cores of this process");
  std::vector<int> cores;
  for (int core = 0; core < most_cores; ++core) {
    if (CPU_ISSET_S(static_cast<std::size_t>(core), sizeof set, set.data())) cores.push_back(core);
  }
  return cores;
}

std::vector<int> usable_of(const std::vector<int>& cores) {
  auto usable = usable_cores();
  std::erase_if(usable, [&](int core) { return std::find(cores.begin(), cores.end(), core) == cores.end(); });
  return usable;
}

void bind_to(const std::vector<int>& cores) {
  CoreSet set{};
  for (const int core : cores) CPU_SET_S(static_cast<std::size_t>(core), sizeof set, set.data());
  check_sys(::sched_setaffinity(0, sizeof set, set.data()), "bind this process to cores");
}

StickyCore::StickyCore(int number) : all_(usable_cores()), own_{all_[static_cast<std::size_t>(number) % all_.size()]} {
  bind_to(own_);
  is_taken_ = true;
  bind(false);
}

void StickyCore::bind(bool to_own) noexcept {
  if (std::exchange(is_taken_, to_own) == to_own) return;
  try {
    bind_to(to_own ? own_ : all_);
  } catch (const std::system_error&) {
    // Binding worked before. If cores were taken from this process since, that decision stands.
  }
}

}  // namespace ringmark
