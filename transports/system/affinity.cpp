#include "transports/system/affinity.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "transports/errors.hpp"
#include "transports/system/check.hpp"
#include "transports/system/host.hpp"

namespace ringmark {

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
    if (read.ec != std::errc() || first < 0 || last >= CPU_SETSIZE) break;
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return cores;
}

std::optional<std::vector<int>> cores_near(std::string_view interface) {
  const auto node = cores_in(read_text_file(fmt::format("/sys/class/net/{}/device/numa_node", interface)));
  if (node.empty()) return std::nullopt;  // -1 where the device belongs to none
  return cores_in(read_text_file(fmt::format("/sys/devices/system/node/node{}/cpulist", node.front())));
}

std::vector<int> usable_of(const std::vector<int>& cores) {
  cpu_set_t set;
  check_sys(::sched_getaffinity(0, sizeof set, &set), "read the cores of this process");
  std::vector<int> all, wanted;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(static_cast<std::size_t>(core), &set)) continue;
    all.push_back(core);
    if (std::find(cores.begin(), cores.end(), core) != cores.end()) wanted.push_back(core);
  }
  return wanted.empty() ? all : wanted;
}

void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  check_sys(::sched_setaffinity(0, sizeof set, &set), "bind this process to cores");
}

Seat::Seat(int number) : all_(usable_of({})), own_{all_[static_cast<std::size_t>(number) % all_.size()]} {
  bind_to(own_);
  is_taken_ = true;
  bind(false);
}

void Seat::bind(bool to_own) noexcept {
  if (std::exchange(is_taken_, to_own) == to_own) return;
  try {
    bind_to(to_own ? own_ : all_);
  } catch (const TransportError&) {
    // It could be bound before; whoever took cores from this process since has decided where it runs.
  }
}

}  // namespace ringmark
