// The nodes of a sweep that another system has started: torchrun, a batch system, pods, a loop over ssh. Every node
// runs ringmark-sweep; the first one leads, and the others start their ranks when it tells them to.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/system/deadline.hpp"
#include "base/system/file_descriptor.hpp"
#include "sweeps/launch/process_group.hpp"
#include "sweeps/nodes/node_launch.hpp"
#include "sweeps/nodes/node_messages.hpp"
#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark::sweep {

/// The secret by which several nodes authenticate each other: a node starts what the first one sends, so an unknown
/// peer in its place could start any program. Throws BadUsage if there is none.
std::string secret_of_nodes();

class Nodes {
 public:
  /// For a sweep on this node alone.
  Nodes();
  /// Meets the other nodes. Throws BadUsage without a secret, and TransportError, which names the missing nodes, after
  /// `timeout`.
  Nodes(Rendezvous place, std::chrono::milliseconds timeout);
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  const std::vector<std::string>& hosts() const { return hosts_; }
  const std::string& source() const { return place_.source; }
  /// By host.
  const nlohmann::json& facts() const { return facts_; }
  /// The first node that is lost, in words.
  std::optional<std::string> loss();

  /// Runs a launch on the first nodes_of(resolved) nodes, until it ends on all of them. If it fails on one, the others
  /// have a few seconds to report why; then all are ended, as they are at the deadline or on a signal. The log has the
  /// output of one node after the other.
  Ending run(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
             const CommandRun& run, const SignalQueue& signals);

  /// Tells the other nodes that the sweep is over.
  void finish(int status);

 private:
  struct Node {
    FileDescriptor connection;
    bool is_running = false;
    std::optional<NodeEnd> end{};
  };

  bool watch();
  void hear(std::size_t node);
  void lose(std::size_t node, const std::string& reason);
  void await_others(const CommandRun& run, const SignalQueue& signals, Ending& ending);
  void stop(std::chrono::milliseconds grace);
  void gather(const CommandRun& run, Ending& ending);
  bool is_running() const;
  void wait(std::chrono::milliseconds limit, int other_fd = -1);
  MeetingPoint next_meeting();

  Rendezvous place_;
  std::vector<Node> others_;  ///< from node 1 on
  std::vector<std::string> hosts_;
  nlohmann::json facts_ = nlohmann::json::object();
  std::optional<std::string> loss_;
  std::optional<Deadline> patience_;  ///< for the other nodes to end a launch that failed on one
  std::size_t launches_ = 0;
};

}  // namespace ringmark::sweep
