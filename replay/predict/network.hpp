// The time of a step's collectives on a network.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/transport.hpp"
#include "replay/trace/step_trace.hpp"
#include "results/fit.hpp"

namespace ringmark::replay {

/// Time from the last rank's arrival to the end on all ranks.
struct CollectiveTime {
  double total_us = 0;
  double bytes_us = 0;  ///< part of total_us that is due to the bytes, not to the steps
  bool is_between_hosts = true;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual CollectiveTime time(const Event& event, const Group& group, int ranks) = 0;
  /// Maximum time credit that an idle link between hosts accumulates. It shortens the next collective by up to this
  /// time, and takes that long to build up.
  virtual double burst_us() const = 0;
  /// The assumptions behind the times, one per line.
  virtual std::vector<std::string> assumptions() const = 0;
};

/// "links let 128K through at once after idling, as measured".
std::string burst_assumption(double bytes, std::string_view source);

/// Hockney's model: a message costs alpha and its bytes over the bandwidth.
struct Link {
  double alpha_us = 0;
  double GBps = 0;

  bool operator==(const Link&) const = default;
};
/// "6 us and 370 GB/s".
std::string in_words(const Link& link);
/// Assumed if the number of ranks per node is unknown.
constexpr int usual_ranks_per_node = 8;
/// A bandwidth at which bytes take no time.
constexpr double unlimited_GBps = 1e9;

/// On a flat network every rank has its own full-duplex link. With nodes, `ranks_per_node` ranks share their node's
/// link and have faster links among each other. With NCCL, collectives use its algorithms; otherwise, on a flat
/// network, the schedule that auto chooses, and with nodes a ring or two levels.
struct Links {
  Link between;  ///< with NCCL: of the Simple protocol
  std::optional<Link> within;
  int ranks_per_node = 1;
  double burst_bytes = 0;  ///< passes at once over an idle link between hosts
  Transport transport = Transport::tcp;
  double launch_us = 0;  ///< with NCCL: per collective, in addition to its steps
  /// NCCL uses LL128 between nodes too, as measurements on a few nodes show. Off for predictions: measured steps of up
  /// to 1,024 GPUs take as long as without it.
  bool has_LL128_between = false;
  std::string source = "as given";
  double miss_percent = 0;  ///< median error of a fit on its own times

  bool operator==(const Links&) const = default;
};
std::unique_ptr<Network> make_network(const Links& links);
std::unique_ptr<Network> make_nccl_network(const Links& links);

/// Which of a fit's models to use; empty fields do not restrict them.
struct FitChoice {
  std::string transport, network;
  std::optional<std::string> settings;  ///< "tcp.sockets=4"; empty: default settings
};
/// A guess for links within nodes that were never measured alone: as fast as the node's network, with shorter steps.
Link assumed_within(const Link& between);
/// The fit's NCCL links that match the choice. Null if there are none, or if the fit also has models of another
/// transport that the choice does not exclude. Throws BadUsage if several match.
const FitLinks* links_in(const Fit& fit, const FitChoice& choice);
/// What the links were fitted to, and how well.
std::string source_of(const FitLinks& links);
/// Why the measured times do not determine alpha "within nodes" or "between nodes", and what to measure.
std::string why_no_alpha(const FitLinks& links, std::string_view where);
/// Values that replace those of a fit.
struct GivenLinks {
  std::optional<double> alpha_us, within_alpha_us, within_GBps;
};
/// The links of links_in() for predictions. Empty if that returns null, or if only one node was measured. Throws
/// BadUsage as links_in() does, and if alpha is neither known nor given.
std::optional<Links> fitted_links(const Fit& fit, const FitChoice& choice, const GivenLinks& given = {});
/// A network with measured times. Collectives that were not measured (all_to_all, reduce) use the alpha and beta of
/// measured ones. Throws BadUsage if the fit has no model for the choice, models of several networks, or models of
/// several settings but none of the default ones.
std::unique_ptr<Network> make_network(const Fit& fit, const FitChoice& choice);

/// Uses `within` for groups inside a node, and the network `between` for all others.
std::unique_ptr<Network> make_network(std::unique_ptr<Network> between, const Link& within, int ranks_per_node);

}  // namespace ringmark::replay
