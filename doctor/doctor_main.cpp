#include "doctor/doctor_main.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags.hpp"
#include "doctor/checks.hpp"
#include "results/provenance.hpp"
#include "transports/fabric/verbs/ports.hpp"
#include "transports/nccl/conf_files.hpp"

namespace ringmark::doctor {

Findings examine(const Node& node) {
  Findings findings;
  for (const auto check : {check_rdma, check_pcie, check_gpu_direct, check_system, check_tcp, check_nccl}) {
    check(node, findings);
  }
  return findings;
}

namespace {

/// MTU of each active RDMA port of this machine; empty if libibverbs cannot be used.
std::map<std::string, int> port_mtus() {
  std::map<std::string, int> mtus;
  try {
    for (const auto& port : verbs_ports(system_verbs_driver())) {
      if (port.is_active()) mtus[port.name()] = mtu_bytes(port.attr.active_mtu);
    }
  } catch (const Unusable&) {
    return {};  // check_rdma still reports from the files of sysfs
  }
  return mtus;
}

struct DoctorOptions {
  std::string root = "/";
  bool json = false, all = false;
};

}  // namespace

int doctor_main(int argc, const char* const* argv) {
  DoctorOptions options;
  Flags flags(
      "ringmark-doctor",
      "Finds settings of this node that slow down or break collectives; shows the evidence and a remedy for each.",
      "ringmark " + version());
  flags.toggle("--json", options.json, "print JSON (schema doctor/1)");
  flags.toggle("--all", options.all, "also show the findings that are fine");
  flags.text("--root", options.root, "folder to examine instead of /, e.g. a recorded /sys and /proc", "FOLDER");
  flags.examples({"ringmark-doctor", "ringmark-doctor --all --json", "ringmark-doctor --root recorded-node"},
                 "Exit status: 0 no warnings or problems, 1 warnings or problems, 2 bad usage.");
  const auto parsed = flags.read(options, argc, argv, [&] {
    std::error_code unknown;
    if (!std::filesystem::is_directory(options.root, unknown)) flags.problem("--root", "no such folder");
  });
  if (parsed.exit_status) return leave_with(parsed);
  const auto& [root, json, all] = parsed.options;
  const bool is_this_node = std::filesystem::equivalent(root, "/");
  const Node node(root, nccl_home().relative_path(), is_this_node ? port_mtus() : std::map<std::string, int>{});
  const auto findings = examine(node);
  fmt::print("{}", json ? as_json(findings, node.unreadable()) : as_text(findings, node.unreadable(), all));
  const bool hurts = std::any_of(findings.begin(), findings.end(),
                                 [](const Finding& finding) { return finding.severity >= Severity::warning; });
  constexpr int exit_hurts = 1;
  return hurts ? exit_hurts : exit_ok;
}

}  // namespace ringmark::doctor
