// Creates the network out of namespaces, and changes its links while the command runs.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "lab/fault.hpp"
#include "lab/network.hpp"

namespace ringmark::lab {

class Topology {
 public:
  /// Finds ip, and tc and nft if rates or faults need them. Throws Unusable.
  Topology(const Network& network, const std::vector<Fault>& faults, bool verbose);

  /// All namespaces must exist and be empty. Throws Unusable, also if the kernel lacks a module that faults need.
  void build(const Network& network);

  /// Changes links, given by number, and the routes if a link goes down or comes up.
  void change(const Network& network, const std::vector<std::size_t>& links, const Change& change);

 private:
  /// One run of a tool that reads a batch. `aim` and `remedy` are for the error message.
  struct Step {
    const std::string& tool;
    const char* aim;
    const char* remedy;
    const char* batch_flag = "-batch";
  };
  void apply(const Step& step, const std::string& batch, pid_t where) const;
  void probe_netem(pid_t where);
  void make_links(const Network& network) const;
  void give_bridge_addresses(const Network& network) const;
  void give_fabric_addresses(const Network& network) const;
  void route(const Network& network) const;
  void wait_for_links(const Network& network) const;
  void limit_segments(const Network& network) const;
  void shape(const Network& network, std::size_t link, const LinkState& before, const LinkState& state) const;

  std::string ip_, tc_, nft_;
  const std::vector<Fault>& faults_;
  bool verbose_, loses_ = false, has_netem_ = false;
  std::vector<LinkState> states_;  // by link
};

}  // namespace ringmark::lab
