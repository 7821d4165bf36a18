#include "bench/harness/way_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/system/host.hpp"
#include "transports/fabric/verbs/driver.hpp"
#include "transports/fabric/verbs/port_counters.hpp"

namespace ringmark {

WayOut way_out_over(const std::vector<std::string>& interfaces) {
  const auto sent_bytes = [interfaces]() -> std::optional<std::uint64_t> {
    std::uint64_t sum = 0;
    for (const auto& interface : interfaces) {
      const auto bytes = interface_sent_bytes(interface);
      if (!bytes) return std::nullopt;
      sum += *bytes;
    }
    return sum;
  };
  WayOut way_out{fmt::format("{}", fmt::join(interfaces, "+")), Network::tcp, sent_bytes, tcp_retransmitted_segments};
  if (!interfaces.empty()) way_out.bits_per_s = 0;
  for (const auto& interface : interfaces) {
    const auto own = interface_bits_per_s(interface);
    way_out.bits_per_s = own && way_out.bits_per_s ? std::optional(*way_out.bits_per_s + *own) : std::nullopt;
  }
  return way_out;
}

WayOut way_out_over(const Port& port, const GidEntry& gid) {
  const PortCounters counters(system_verbs_driver().sysfs, port, gid);
  return {port.name(),
          Network(port.is_ethernet() ? Network::roce : Network::ib),
          [counters] { return counters.sent_bytes(); },
          [counters] { return counters.retransmits(); },
          PortCounters::event_names(),
          [counters] { return counters.events(); }};
}

}  // namespace ringmark
