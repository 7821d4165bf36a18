// A rank of a scan: rank 0 orders what it measures as an end of a link, and hears what it has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
  int connection = 0;  ///< the one of the last order is used again if it is the same
};

/// The report of one end of a link: the source has the times, both ends their failure.
struct LinkReport {
  LinkResult result;
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

  /// Does not throw: a failure is in the report.
  LinkReport measure(const LinkOrder& order);
  /// Carries out orders of rank 0 until the last, and returns its exit status. Throws PeerLost if rank 0 is gone.
  int serve(ScanLine& rank_0);

 private:
  LinkReport measure_with(const LinkOrder& order, int peer);

  const LinkOptions& options_;
  const RankResources& resources_;
  std::unique_ptr<Fabric> fabric_;  ///< of one connection: a lost peer breaks nothing else
  std::optional<int> connection_;
};

/// The names of the messages.
constexpr auto link_order_message = "link to measure", link_report_message = "result of a link";

}  // namespace ringmark
