// The command line as validated values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/fault.hpp"
#include "lab/network.hpp"
#include "lab/rate.hpp"

namespace ringmark::lab {

struct LabOptions {
  int hosts = 0;
  std::optional<FabricShape> fabric;  // empty: a single switch
  Rate rate;
  std::map<int, Rate> host_rates;            // by host; overrides `rate`
  std::optional<std::uint32_t> burst_bytes;  // of every link; empty: the default for its rate
  std::vector<Fault> faults;                 // in order of time
  std::optional<std::chrono::milliseconds> timeout;
  bool verbose = false;
  std::vector<std::string> command;
};

/// The hosts, switches and links, before they are created.
Network plan_network(const LabOptions& options);

/// Draws the network instead of running anything.
struct ShowNetwork {
  LabOptions options;
  std::string svg_path;  // empty: as text
};

/// Takes a host's link down this long after the command starts.
struct Cut {
  int host;
  std::chrono::milliseconds after;
};

/// In a virtual machine, each host has an RDMA device and a single-digit number.
constexpr int most_vm_hosts = 8, most_vm_spines = 8;

struct VmOptions {
  int hosts = 4;
  int spines = 0;  // paths between two leaves with half of the hosts each; 0: a single switch
  Rate rate;
  Rate uplink;                         // of every link between a leaf and a spine
  std::chrono::milliseconds delay{0};  // of each link, one way
  double loss_percent = 0;
  std::vector<Cut> cuts;  // in order of time
  std::chrono::milliseconds timeout{300'000};
  std::vector<std::string> shares;  // folders that the command may write to
  bool only_check = false;          // only check whether the machine meets all requirements
  std::vector<std::string> command;
};

struct ExecOptions {
  std::string host;  // number, name or address
  std::vector<std::string> command;
};

struct ShowHosts {};
struct ShowCounters {
  bool links = false;  // list links instead of hosts
};

/// Help or version text to print.
struct ShowText {
  std::string text;
};

using Request = std::variant<LabOptions, ShowNetwork, VmOptions, ExecOptions, ShowHosts, ShowCounters, ShowText>;

/// `arguments` excludes the program name. Throws BadUsage with a message for the user.
Request parse_request(const std::vector<std::string>& arguments);

}  // namespace ringmark::lab
