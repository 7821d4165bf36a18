#include <map>
#include <sstream>

#include <fmt/format.h>

#include "doctor/checks.hpp"

namespace ringmark::doctor {
namespace {

void check_governor(const Node& node, Findings& findings) {
  const std::filesystem::path cpus = "sys/devices/system/cpu";
  std::map<std::string, int> governors;
  for (const auto& name : node.entries(cpus)) {
    if (const auto governor = node.text(cpus / name / "cpufreq/scaling_governor")) ++governors[*governor];
  }
  for (const auto& [governor, count] : governors) {
    const auto evidence = fmt::format("scaling governor {} on {} processors", governor, count);
    if (governor == "performance") {
      findings.push_back({Severity::fine, "cpu_governor", "processors", evidence, "", ""});
    } else {
      findings.push_back({Severity::warning, "cpu_governor", "processors", evidence,
                          "the processor raises its clock only under load: small collectives take longer and vary more",
                          "cpupower frequency-set -g performance"});
    }
  }
}

void check_clock_source(const Node& node, Findings& findings) {
  const auto source = node.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source) return;
  // Programs read these without a system call.
  const bool fast = *source == "tsc" || *source == "kvm-clock" || *source == "arch_sys_counter" ||
                    *source == "hyperv_clocksource_tsc_page";
  const auto evidence = fmt::format("clock source {}", *source);
  findings.push_back(
      fast ? Finding{Severity::fine, "clock_source", "kernel", evidence, "", ""}
           : Finding{Severity::warning, "clock_source", "kernel", evidence,
                     "reading the clock takes a system call: every time stamp costs a microsecond",
                     "check dmesg for why the kernel gave up the tsc; add tsc=reliable to the kernel's command line"});
}

void check_iommu(const Node& node, Findings& findings) {
  const std::filesystem::path groups = "sys/kernel/iommu_groups";
  const auto numbers = node.entries(groups);
  if (numbers.empty()) {
    findings.push_back({Severity::fine, "iommu", "kernel", "no IOMMU groups, so the IOMMU is off", "", ""});
    return;
  }
  // Kernels before 4.19 do not report a group's type.
  std::map<std::string, int> types;
  for (const auto& number : numbers) ++types[node.text(groups / number / "type").value_or("unknown")];
  const bool asked = node.text("proc/cmdline").value_or("").find("iommu=pt") != std::string::npos;
  const bool passes_through = types.size() == 1 && (types.contains("identity") || (types.contains("unknown") && asked));
  std::string evidence = "the IOMMU is on; types of its groups:";
  for (const auto& [type, count] : types) evidence += fmt::format(" {} {}", count, type);
  findings.push_back(passes_through ? Finding{Severity::fine, "iommu", "kernel", evidence, "", ""}
                                    : Finding{Severity::warning, "iommu", "kernel", evidence,
                                              "address translation of the adapters' transfers may cost bandwidth",
                                              "add iommu=pt to the kernel's command line"});
}

/// CAP_IPC_LOCK lifts the limit of locked memory.
bool may_lock_everything(const Node& node) {
  constexpr int cap_ipc_lock = 14;
  constexpr std::string_view row = "CapEff:";
  std::istringstream lines(node.text("proc/self/status").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(row)) return (std::strtoull(&line[row.size()], nullptr, 16) >> cap_ipc_lock & 1) != 0;
  }
  return false;
}

void check_locked_memory(const Node& node, Findings& findings) {
  const auto limits = node.text("proc/self/limits");
  if (!limits) return;
  std::istringstream lines(*limits);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view row = "Max locked memory";
    if (!line.starts_with(row)) continue;
    std::istringstream words(line.substr(row.size()));
    std::string soft;
    words >> soft;
    const bool exempt = may_lock_everything(node);
    const auto evidence = fmt::format("limit of locked memory: {}{}{}", soft, soft == "unlimited" ? "" : " bytes",
                                      exempt ? ", which CAP_IPC_LOCK lifts" : "");
    constexpr long enough = 1L << 30;
    if (exempt || soft == "unlimited" || std::atol(soft.c_str()) >= enough) {
      findings.push_back({Severity::fine, "locked_memory", "this user", evidence, "", ""});
    } else {
      findings.push_back(
          {node.entries("sys/class/infiniband").empty() ? Severity::note : Severity::problem, "locked_memory",
           "this user", evidence, "RDMA locks the memory it registers, and this limit is too low for its buffers",
           "echo '* - memlock unlimited' >/etc/security/limits.d/rdma.conf   (and LimitMEMLOCK=infinity for "
           "services that start ranks)"});
    }
  }
}

void check_huge_pages(const Node& node, Findings& findings) {
  const auto setting = node.text("sys/kernel/mm/transparent_hugepage/enabled");
  if (!setting) return;
  const bool never = setting->find("[never]") != std::string::npos;
  findings.push_back({never ? Severity::note : Severity::fine, "huge_pages", "kernel",
                      "transparent huge pages: " + *setting, never ? "large buffers need more page translations" : "",
                      never ? "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled" : ""});
}

}  // namespace

void check_system(const Node& node, Findings& findings) {
  check_governor(node, findings);
  check_clock_source(node, findings);
  check_iommu(node, findings);
  check_locked_memory(node, findings);
  check_huge_pages(node, findings);
}

}  // namespace ringmark::doctor
