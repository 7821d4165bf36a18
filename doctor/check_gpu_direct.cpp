#include <algorithm>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "doctor/pci.hpp"

namespace ringmark::doctor {
namespace {

/// dma-buf needs the open kernel modules, which the driver's version string names.
bool has_open_modules(const Node& node) {
  return node.text("proc/driver/nvidia/version").value_or("").find("Open Kernel Module") != std::string::npos;
}

}  // namespace

void check_gpu_direct(const Node& node, Findings& findings) {
  const auto devices = pci_devices(node);
  const auto gpus = std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.is_gpu(); });
  const auto adapters = std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.is_rdma; });
  if (gpus == 0) return;
  if (!node.exists("proc/driver/nvidia/version")) {
    findings.push_back({Severity::problem, "nvidia_driver", "GPUs",
                        fmt::format("{} GPUs, but no /proc/driver/nvidia", gpus), "the GPU driver is not loaded",
                        "modprobe nvidia"});
    return;
  }
  if (adapters == 0) return;
  const bool peermem = node.exists("sys/module/nvidia_peermem"), open = has_open_modules(node);
  const auto evidence = fmt::format("nvidia_peermem is {}loaded; the driver's modules are {}", peermem ? "" : "not ",
                                    open ? "open, with dma-buf" : "proprietary");
  if (peermem || open) {
    findings.push_back({Severity::fine, "gpu_direct", "GPUDirect RDMA", evidence, "", ""});
  } else {
    findings.push_back({Severity::problem, "gpu_direct", "GPUDirect RDMA", evidence,
                        "network adapters cannot reach GPU memory: every byte is copied through host memory",
                        "modprobe nvidia_peermem"});
  }
}

}  // namespace ringmark::doctor
