// The verdict from everything a scan of the pairs shows: rates, response times, and retransmitted bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accept/judge/verdict.hpp"
#include "results/schema/record.hpp"

namespace ringmark::accept {

/// A way in which a part may be slow.
enum class Sign {
  rate,    ///< of a pair, while no other pair uses its links
  resent,  ///< bytes that had to be retransmitted
  answer,  ///< the time of a short message
  loaded,  ///< the rate while all hosts send at once
};
std::string_view name(Sign sign);

/// The signs that a pair showed in a scan; 0 GB/s if nothing passed.
struct PairSigns {
  std::size_t from, to;
  double GBps = 0;
  double resent_share = 0;  ///< of its bytes
  std::optional<double> latency_us;
  Status worst = Status::ok;  ///< of its measurements
  std::string words;          ///< explains the worst
};
/// Reads the rows of ringmark-link. The pairs are sorted by their ends, so all scans have the same order. `hosts` is by
/// rank.
std::vector<PairSigns> signs_of(const std::vector<Record>& rows, const std::vector<std::size_t>& hosts);
Round rates_of(const std::vector<PairSigns>& pairs);

/// A scan of all pairs, and the rates of some pairs under load; empty if not measured. All scans have the same pairs in
/// the same order.
struct Scan {
  std::vector<PairSigns> pairs;
  Round loaded;
};

/// Pairs whose measurements all went wrong in the same way.
struct Trouble {
  Status status;
  std::size_t times = 0;
  std::vector<std::pair<std::size_t, std::size_t>> links{};  ///< by their ends, each once
  std::optional<std::size_t> common_host{};                  ///< the end that all of them share, if only one does
  std::string words{};                                       ///< explains the first measurement
};
/// `measured` has each pair once per measurement.
std::vector<Trouble> troubles_in(const std::vector<PairSigns>& measured);

struct SignedCulprit {
  Sign sign;
  Part part;
  double ratio;      ///< measured over expected rate, or usual over measured time
  double share = 1;  ///< the fraction of the connections through it that are slow
};

struct ScansVerdict {
  Outcome outcome = Outcome::undecided;
  std::vector<SignedCulprit> culprits;
  std::vector<std::string> undecided;  ///< parts that need more scans
  double expected_GBps = 0, scatter = 0;
};

/// Without an expected rate, pairs are compared with the typical one, as for all other signs. The miss rate is bounded
/// for the rate only; the other signs just ask for more scans where a part shows them. `is_box`: the hosts share the
/// cores of one machine, so they may answer late because they wait for a core.
ScansVerdict judge_scans(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                         std::optional<double> expected_GBps, bool is_box = false);

/// "79 % of 0.0605 GB/s", "0.52 % of its bytes are retransmitted".
std::string evidence(const SignedCulprit& culprit, double expected_GBps);

}  // namespace ringmark::accept
