// A rank in a scan: rank 0 orders what it measures as one end of a link, and receives its report.
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

/// Sent as raw bytes.
struct LinkOrder {
  bool is_last = false;  ///< the scan is over, with `exit_status`
  int exit_status = 0;
  LinkTest test = LinkTest::latency;
  LinkEnds link;
  std::uint64_t bytes = 0;
  double max_time_s = 0;
  bool takes_whole_time = false;  ///< do not stop early at the precision, because other links are still being measured
  int connection = 0;             ///< the connection of the last order is reused if the number is the same
  int together = 1;               ///< number of concurrent orders to this rank, as the destination of all of them
};

/// The report of one end of a link: the source's times or the destination's rate, and any failure.
struct LinkReport {
  LinkResult result;
  double received_GBps = 0;  ///< at a destination, from all its sources
  PathEvidence evidence;
  std::string failure;  ///< empty if none
  bool is_late = false;
};
void to_json(nlohmann::json& json, const LinkReport& report);
void from_json(const nlohmann::json& json, LinkReport& report);

class LinkEnd {
 public:
  /// Both must outlive this.
  LinkEnd(const LinkOptions& options, const RankResources& resources) : options_(options), resources_(resources) {}

  /// Does not throw; the report contains any failure. Several orders must differ only in their source.
  LinkReport measure(const std::vector<LinkOrder>& orders);
  /// Carries out rank 0's orders until the last, and returns its exit status. Throws PeerLost if rank 0 is lost.
  int serve(ScanLine& rank_0);

 private:
  LinkReport measure_all(const std::vector<LinkOrder>& orders);

  const LinkOptions& options_;
  const RankResources& resources_;
  std::unique_ptr<Fabric> fabric_;  ///< has one connection, so a lost peer breaks nothing else
  std::optional<int> connection_;
};

/// The messages' names in exchanges.
constexpr auto link_order_message = "link to measure", link_report_message = "result of a link";

}  // namespace ringmark
