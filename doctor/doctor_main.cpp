#include "doctor/doctor_main.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags/flags.hpp"
#include "base/system/host.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "doctor/checks.hpp"
#include "results/files/provenance.hpp"
#include "transports/fabric/verbs/ports.hpp"
#include "transports/nccl/conf_files.hpp"

namespace ringmark::doctor {

Findings examine(const Node& node) {
  Findings findings;
  for (const auto check :
       {check_rdma, check_pcie, check_gpu_direct, check_system, check_tcp, check_shared_memory, check_nccl}) {
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
    return {};  // check_rdma still reports from the files in sysfs
  }
  return mtus;
}

/// The space in /dev/shm; empty if there is none.
std::optional<Space> shared_memory() {
  std::error_code failed;
  const auto space = std::filesystem::space("/dev/shm", failed);
  if (failed) return std::nullopt;
  return Space{space.capacity, space.available};
}

struct DoctorOptions {
  std::string root = "/";
  std::string json;  ///< a file, or - for standard output instead of the text
  std::string to;    ///< a folder for HOST.json
  bool all = false;
};

}  // namespace

int doctor_main(int argc, const char* const* argv) {
  DoctorOptions options;
  Flags flags(
      "ringmark-doctor",
      "Finds settings of this node that slow down or break collectives; shows the evidence and a remedy for each.",
      "ringmark " + version());
  flags.file("--json", options.json, "also write JSON (schema doctor/1); - prints it instead of the text");
  flags.text(
      "--to", options.to,
      "write HOST.json (schema doctor/1) to this folder instead and exit with 0, to run one command on many nodes",
      "FOLDER");
  flags.toggle("--all", options.all, "also show the findings that are fine");
  flags.text("--root", options.root, "folder to examine instead of /, such as a recorded /sys and /proc", "FOLDER");
  flags.examples({"ringmark-doctor", "ringmark-doctor --all --json node.json", "ringmark-doctor --root recorded-node",
                  "srun -N 16 --ntasks-per-node 1 ringmark-doctor --to /shared/doctor"},
                 "Exit status: 0 no warnings or problems, 1 warnings or problems, 2 bad usage.");
  const auto parsed = flags.read(options, argc, argv, [&] {
    std::error_code unknown;
    if (!std::filesystem::is_directory(options.root, unknown)) flags.problem("--root", "no such folder");
    if (!options.to.empty() && !std::filesystem::is_directory(options.to, unknown))
      flags.problem("--to", "no such folder");
  });
  if (parsed.exit_status) return leave_with(parsed);
  const auto& [root, json, to, all] = parsed.options;
  const bool is_this_node = std::filesystem::equivalent(root, "/");
  const Node node(root, nccl_home().relative_path(), is_this_node ? port_mtus() : std::map<std::string, int>{},
                  is_this_node ? shared_memory() : std::nullopt);
  const auto findings = examine(node);
  if (!to.empty()) {
    write_file(fmt::format("{}/{}.json", to, host_name()), as_json(findings, node.unreadable(), host_name()));
    return exit_ok;
  }
  const auto report = json.empty() ? "" : as_json(findings, node.unreadable(), is_this_node ? host_name() : "");
  fmt::print("{}", json == "-" ? report : without_controls(as_text(findings, node.unreadable(), all)));
  if (!json.empty() && json != "-") write_file(json, report);
  const bool hurts = std::any_of(findings.begin(), findings.end(),
                                 [](const Finding& finding) { return finding.severity >= Severity::warning; });
  constexpr int exit_hurts = 1;
  return hurts ? exit_hurts : exit_ok;
}

}  // namespace ringmark::doctor
