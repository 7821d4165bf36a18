// Which way the bytes went, by the counters of the network interfaces and of TCP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/operation.hpp"
#include "bench/harness/control.hpp"
#include "bench/harness/way_out.hpp"
#include "results/record.hpp"

namespace ringmark {

/// For each rank of the run.
struct Places {
  std::vector<std::string> hosts;
  std::vector<std::string> ways_out;  ///< their names
};

/// True if all ranks are on one host.
bool on_one_host(const std::vector<std::string>& hosts);

/// Counts while something is being timed.
class PathCounters {
 public:
  explicit PathCounters(const WayOut& way_out) : way_out_(way_out), events_(way_out.event_names.size()) {}

  /// Starts and stops counting; what is counted adds up.
  void count(bool on);
  std::optional<std::uint64_t> sent_bytes() const { return sent_bytes_; }
  std::optional<std::uint64_t> retransmits() const { return retransmits_; }
  std::optional<Network> network() const { return way_out_.network; }
  const std::vector<std::string>& event_names() const { return way_out_.event_names; }
  /// How often each happened while counting.
  const std::vector<std::uint64_t>& events() const { return events_; }

 private:
  const WayOut& way_out_;
  std::optional<std::uint64_t> sent_before_, retransmits_before_;
  std::optional<std::uint64_t> sent_bytes_, retransmits_;
  std::vector<std::uint64_t> events_before_, events_;
};

/// The evidence of all hosts' counters about one row.
struct PathFinding {
  /// The way out's, or shm. Nothing if too little had to travel to stand out from the barriers, or if it went through
  /// an adapter that did not count it.
  std::optional<Network> network;
  std::optional<std::uint64_t> wire_bytes;  ///< per operation, on the slowest rank's interface
  std::optional<std::uint64_t> retransmits;
  bool judged = false;    ///< enough had to travel
  bool bypassed = false;  ///< less than the operations need went over an interface between hosts
  std::string detail;
  std::string events;  ///< "mlx5_0:1 on a: np_cnp_sent 12, out_of_sequence 3; …", of the ports with the most
};

/// Every rank calls it. `needed_bytes`: what this rank must send on its way out in one operation, at the least.
PathFinding find_path(Control& control, const PathCounters& counters, const Places& places, double needed_bytes,
                      std::uint64_t operations, int slowest_rank);

/// A row's `network`: what the counters prove; below what they can, our own sockets or queue pairs are still what the
/// bytes went through.
std::optional<Network> network_of(const PathFinding& path, const WayOut& way_out, const Record& row);

/// The least that any algorithm makes `rank` send to other hosts (or, on one host, to other ranks) in an operation.
double least_sent_bytes(const Operation& operation, const std::vector<std::string>& hosts, int rank);

}  // namespace ringmark
