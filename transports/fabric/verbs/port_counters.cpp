#include "transports/fabric/verbs/port_counters.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <thread>

namespace ringmark {
namespace {

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint64_t value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

}  // namespace

PortCounters::PortCounters(const std::filesystem::path& sysfs, const Port& port, const GidEntry& gid)
    : port_(sysfs / "class/infiniband" / port.device / "ports" / std::to_string(port.number)),
      interface_(gid.interface.empty() ? "" : sysfs / "class/net" / gid.interface) {}

// The kernel reads the counters from the device only once per lifespan.
void PortCounters::wait_until_fresh() const {
  if (const auto ms = read_number(port_ / "hw_counters/lifespan")) {
    constexpr std::uint64_t most_ms = 100;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(*ms, most_ms)));
  }
}

std::optional<std::uint64_t> PortCounters::sent_bytes() const {
  // The InfiniBand specification counts words of four bytes.
  if (const auto words = read_number(port_ / "counters/port_xmit_data")) return *words * 4;
  if (interface_.empty()) return std::nullopt;
  return read_number(interface_ / "statistics/tx_bytes");
}

std::optional<std::uint64_t> PortCounters::retransmits() const {
  // mlx5 counts three causes; rxe counts all in one.
  constexpr std::array names{"local_ack_timeout_err", "packet_seq_err", "rnr_nak_retry_err", "completer_retry_err"};
  wait_until_fresh();
  std::optional<std::uint64_t> sum;
  for (const auto* name : names) {
    if (const auto value = read_number(port_ / "hw_counters" / name)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

std::vector<std::string> PortCounters::event_names() {
  // Congestion notifications sent and obeyed, packets marked, out of sequence, or missing.
  return {"np_cnp_sent",        "rp_cnp_handled", "np_ecn_marked_roce_packets", "out_of_sequence",
          "out_of_seq_request", "packet_seq_err", "rnr_nak_retry_err",          "local_ack_timeout_err",
          "duplicate_request",  "rcvd_seq_err",   "completer_retry_err"};
}

std::vector<std::uint64_t> PortCounters::events() const {
  std::vector<std::uint64_t> counts;
  for (const auto& name : event_names()) counts.push_back(read_number(port_ / "hw_counters" / name).value_or(0));
  return counts;
}

}  // namespace ringmark
