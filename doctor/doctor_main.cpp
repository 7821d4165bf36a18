#include "doctor/doctor_main.hpp"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/command_line.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
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

}  // namespace

int doctor_main(int argc, const char* const* argv) {
  std::string root = "/";
  bool json = false, all = false;
  CLI::App app(
      "Finds settings of this node that slow down or break collectives; shows the evidence and a remedy for each.");
  app.failure_message(failure_words);
  app.set_version_flag("--version", "ringmark " + version());
  app.add_flag("--json", json, "print JSON (schema doctor/1)");
  app.add_flag("--all", all, "also show the findings that are fine");
  app.add_option("--root", root, "folder to examine instead of /, e.g. a recorded /sys and /proc")
      ->capture_default_str();
  app.footer("Exit status: 0 no warnings or problems, 1 warnings or problems, 2 bad usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  if (!std::filesystem::is_directory(root)) {
    fmt::print(stderr, "ringmark-doctor: --root {}: no such folder\n", root);
    return exit_usage;
  }
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
