// A rank of a scan: rank 0 orders what it measures as an end of a link, and hears what it has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/flags/link_options.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/link/link_measure.hpp"
#include "bench/link/scan_line.hpp"

namespace ringmark {

/// It travels as bytes.
struct LinkOrder {
  bool is_last = false;  ///< the scan is over, with `exit_status`
  int exit_status = 0;
  LinkTest test = LinkTest::latency;
  LinkEnds link;
  std::uint64_t bytes = 0;
  double max_time_s = 0;
  bool takes_whole_time = false;  ///< however precise it is: others go on beside it
  int connection = 0;             ///< the one of the last order is used again if it is the same
  int together = 1;  ///< orders to this rank that it carries out at the same time: it is the destination of all
};

/// The report of one end of a link: the source has the times, the destination what it received, both ends their
/// failure.
struct LinkReport {
  LinkResult result;
  double received_GBps = 0;  ///< of a destination, from all its sources
  PathEvidence evidence;
  std::string failure;  ///< empty: none
  bool is_late = false;
};
void to_json(nlohmann::json& json, const LinkReport& report);
void from_json(const nlohmann::json& json, LinkReport& report);

class LinkEnd {
 public:
  /// Both outlive this.
  LinkEnd(const LinkOptions& options, const RankResources& resources) : options_(options), resources_(resources) {}

  /// Does not throw: a failure is in the report. Several orders differ in their source only.
  LinkReport measure(const std::vector<LinkOrder>& orders);
  /// Carries out orders of rank 0 until the last, and returns its exit status. Throws PeerLost if rank 0 is gone.
  int serve(ScanLine& rank_0);

 private:
  LinkReport measure_all(const std::vector<LinkOrder>& orders);

  const LinkOptions& options_;
  const RankResources& resources_;
  std::unique_ptr<Fabric> fabric_;  ///< of one connection: a lost peer breaks nothing else
  std::optional<int> connection_;
};

/// The names of the messages.
constexpr auto link_order_message = "link to measure", link_report_message = "result of a link";

}  // namespace ringmark
