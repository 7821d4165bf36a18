// What a collective of a step costs on a network.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/trace/step_trace.hpp"
#include "results/fit.hpp"

namespace ringmark::replay {

/// From the last rank's arrival to the end everywhere.
struct CollectiveTime {
  double total_us = 0;
  double bytes_us = 0;  ///< of it what bytes take, rather than steps
  bool is_between_hosts = true;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual CollectiveTime time(const Event& event, const Group& group, int ranks) = 0;
  /// By how much a collective is faster, at the most, where links between hosts have rested: for as long as they had to
  /// rest.
  virtual double burst_us() const = 0;
  /// What the times rest on, a line each.
  virtual std::vector<std::string> assumptions() const = 0;
};

/// "links let 128K through at once after they have rested, as measured".
std::string burst_assumption(double bytes, std::string_view source);

/// Hockney's model: a message costs alpha and its bytes over the bandwidth.
struct Link {
  double alpha_us = 0;
  double GBps = 0;
};

/// Every rank has a link of its own, both ways at once; or `ranks_per_node` share that of their node and have faster
/// ones among each other. Of a flat network a collective takes the schedule that Ringmark would choose; with nodes the
/// faster of that ring and of the two-level way.
struct Links {
  Link between;
  std::optional<Link> within;
  int ranks_per_node = 1;
  double burst_bytes = 0;  ///< that a link between hosts lets through at once after it has rested
};
std::unique_ptr<Network> make_network(const Links& links);

/// Only models of these, where given.
struct FitChoice {
  std::string transport, network;
  std::optional<std::string> settings;  ///< "tcp.sockets=4"; empty: with nothing set
};
/// As it was measured. What was not measured (all_to_all, reduce) follows from the alpha and beta of what was. Throws
/// BadUsage if the fit has nothing for the choice, or models of several networks, or of several settings and none with
/// nothing set.
std::unique_ptr<Network> make_network(const Fit& fit, const FitChoice& choice);

/// Another network's, but for groups that lie within a node: those have faster links.
std::unique_ptr<Network> make_network(std::unique_ptr<Network> between, const Link& within, int ranks_per_node);

}  // namespace ringmark::replay
