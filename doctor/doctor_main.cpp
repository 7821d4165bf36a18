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

/// Of this machine's active RDMA ports, as far as its libibverbs tells.
std::map<std::string, int> port_mtus() {
  std::map<std::string, int> mtus;
  try {
    for (const auto& port : verbs_ports(system_verbs_driver())) {
      if (port.is_active()) mtus[port.name()] = mtu_bytes(port.attr.active_mtu);
    }
  } catch (const Unusable&) {
    return {};  // what the files say of RDMA is told all the same
  }
  return mtus;
}

}  // namespace

int doctor_main(int argc, const char* const* argv) {
  std::string root = "/";
  bool json = false, all = false;
  CLI::App app(
      "What this node has, and what of it will hurt collectives: each finding with its evidence and a remedy.");
  app.failure_message(failure_words);
  app.set_version_flag("--version", "ringmark " + version());
  app.add_flag("--json", json, "for machines (schema doctor/1)");
  app.add_flag("--all", all, "show what is fine as well");
  app.add_option("--root", root, "read the files under this folder, e.g. a recorded /sys and /proc")
      ->capture_default_str();
  app.footer("Exit status: 0 nothing that hurts, 1 warnings or problems, 2 bad usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  if (!std::filesystem::is_directory(root)) {
    fmt::print(stderr, "ringmark-doctor: --root {}: give a folder that exists\n", root);
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
