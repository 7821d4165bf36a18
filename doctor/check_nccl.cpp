#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "transports/nccl/conf_files.hpp"

namespace ringmark::doctor {

void check_nccl(const Node& node, Findings& findings) {
  for (const std::filesystem::path& file :
       {std::filesystem::path("etc/nccl.conf"), std::filesystem::path(node.home()) / ".nccl.conf"}) {
    const auto text = node.text(file);
    if (!text) continue;
    const auto settings = nccl_settings_in(*text);
    if (settings.empty()) continue;
    findings.push_back({Severity::warning, "nccl_files", "/" + file.string(), settings,
                        "NCCL reads this file in every run, although no command line mentions it",
                        fmt::format("mv /{0} /{0}.off   (or write its settings into the sweep)", file.string())});
  }
  for (const std::string folder :
       {"usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/local/lib", "opt/hpcx/nccl_rdma_sharp_plugin/lib"}) {
    for (const std::string plugin : {"libnccl-net.so", "libnccl-tuner.so"}) {
      if (!node.exists(std::filesystem::path(folder) / plugin)) continue;
      findings.push_back({Severity::note, "nccl_files", "/" + folder + "/" + plugin,
                          "a plugin that NCCL loads on its own if the dynamic loader finds it",
                          "it replaces NCCL's network code or tuning", "NCCL_DEBUG=INFO shows the plugins loaded"});
    }
  }
}

}  // namespace ringmark::doctor
