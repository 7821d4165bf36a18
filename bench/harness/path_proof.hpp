// Proves which path the bytes took, by the counters of the network interfaces and of TCP.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/operation.hpp"
#include "bench/harness/control.hpp"
#include "bench/harness/way_out.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

/// For each rank of the run.
struct Places {
  std::vector<std::string> hosts;
  std::vector<std::string> ways_out;  ///< names, such as "eth0"
};

/// True if all ranks are on one host.
bool on_one_host(const std::vector<std::string>& hosts);
/// The number of distinct hosts of some ranks; `hosts` is by rank.
int count_hosts(const std::vector<std::string>& hosts, std::span<const int> ranks);

/// Counts while operations are being timed.
class PathCounters {
 public:
  explicit PathCounters(const WayOut& way_out) : way_out_(way_out), events_(way_out.event_names.size()) {}

  /// Starts and stops counting; the counts add up.
  void count(bool on);
  std::optional<std::uint64_t> sent_bytes() const { return sent_bytes_; }
  std::optional<std::uint64_t> retransmits() const { return retransmits_; }
  const WayOut& way_out() const { return way_out_; }
  /// How often each event of the way out happened while counting.
  const std::vector<std::uint64_t>& events() const { return events_; }

 private:
  const WayOut& way_out_;
  std::optional<std::uint64_t> sent_before_, retransmits_before_;
  std::optional<std::uint64_t> sent_bytes_, retransmits_;
  std::vector<std::uint64_t> events_before_, events_;
};

/// The part of a row's proof that comes from one rank's counters.
struct PathEvidence {
  double needed_bytes = 0;  ///< minimum that the rank must have sent on its way out in one operation
  std::optional<std::uint64_t> sent_bytes, retransmits;
  std::vector<std::uint64_t> events = {};  ///< in the order of the way out's names
  std::optional<double> bits_per_s = {};   ///< of the link behind the way out
};
/// The time that the link needs for this many bytes; 0 if its rate is unknown.
double least_us(const PathEvidence& evidence, double needed_bytes);
PathEvidence evidence_of(const PathCounters& counters, double needed_bytes);
void to_json(nlohmann::json& json, const PathEvidence& evidence);
void from_json(const nlohmann::json& json, PathEvidence& evidence);

/// What all hosts' counters show about one row.
struct PathFinding {
  /// The network behind the way out, or shm. Empty if too few bytes had to travel to stand out from the barriers, or if
  /// they went through an adapter that did not count them.
  std::optional<Network> network;
  std::optional<std::uint64_t> wire_bytes;  ///< per operation, on the slowest rank's interface
  std::optional<std::uint64_t> retransmits;
  bool judged = false;    ///< enough bytes had to travel for a verdict
  bool bypassed = false;  ///< fewer bytes than the operations need left a host through its interface
  double least_us = 0;    ///< minimum time of an operation at the links' rates; 0 if unknown
  std::string detail;
  std::string events;  ///< "mlx5_0:1 on a: np_cnp_sent 12, out_of_sequence 3; …", for the ports with the most events
};

/// `by_rank` has each rank's evidence, empty for a rank that took no part; `way_out` is any rank's.
PathFinding find_path(const std::vector<PathEvidence>& by_rank, const WayOut& way_out, const Places& places,
                      std::uint64_t operations, int slowest_rank);
/// Every rank calls it. `needed_bytes` is the minimum that this rank must send on its way out in one operation.
PathFinding find_path(Control& control, const PathCounters& counters, const Places& places, double needed_bytes,
                      std::uint64_t operations, int slowest_rank);

/// A row's `network`: the one that the counters prove, otherwise the one that our own sockets or queue pairs used.
std::optional<Network> network_of(const PathFinding& path, const WayOut& way_out, const Record& row);

/// The minimum number of bytes that `rank` sends to other hosts (on a single host: to other ranks) in an operation,
/// whatever the algorithm.
double least_sent_bytes(const Operation& operation, const std::vector<std::string>& hosts, int rank);

}  // namespace ringmark
