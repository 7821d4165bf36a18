#include "sweeps/nodes/node_facts.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/system/affinity.hpp"
#include "base/system/files.hpp"
#include "base/system/host.hpp"
#include "base/write_file.hpp"
#include "results/files/provenance.hpp"
#include "transports/nccl/conf_files.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

/// Some of sysfs' files for each device of a class, by their last names; unreadable files are left out.
nlohmann::json devices(const fs::path& folder, std::initializer_list<const char*> files) {
  auto all = nlohmann::json::object();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    auto& device = all[entry.path().filename().string()] = nlohmann::json::object();
    for (const auto* file : files) {
      const auto text = read_text_if_readable((entry.path() / file).string());
      if (!text.empty()) device[fs::path(file).filename().string()] = text;
    }
    const auto driver = fs::read_symlink(entry.path() / "device/driver", error);
    if (!error) device["driver"] = driver.filename().string();
    error.clear();
  }
  return all;
}

nlohmann::json nccl_files() {
  auto files = nlohmann::json::object();
  for (const auto& path : nccl_conf_files()) {
    std::error_code unreadable;
    if (fs::exists(path, unreadable)) files[path.string()] = read_text_if_readable(path.string());
  }
  return files;
}

}  // namespace

nlohmann::json rdma_facts(const std::string& folder) {
  auto all = devices(folder, {"fw_ver", "hca_type", "board_id", "node_guid", "device/current_link_width",
                              "device/current_link_speed"});
  std::vector<std::string> names;
  for (const auto& [name, facts] : all.items()) names.push_back(name);
  for (const auto& name : names) {
    const auto ports = devices(fs::path(folder) / name / "ports", {"rate", "state", "counters/link_downed"});
    for (const auto& [port, facts] : ports.items())
      all[port == "1" ? name : fmt::format("{}:{}", name, port)].update(facts);
  }
  return all;
}

nlohmann::json node_facts() {
  auto run = describe_run("ringmark-sweep", 0, nullptr, "node");
  run.environment.erase("RINGMARK_LAUNCH");  // it only marks this process
  return {{"host", host_name()},
          {"facts", run.facts},
          {"environment", run.environment},
          {"cores", usable_cores().size()},
          {"interfaces",
           devices("/sys/class/net", {"mtu", "speed", "operstate", "tx_queue_len", "duplex", "carrier_down_count",
                                      "device/current_link_width", "device/current_link_speed"})},
          {"rdma", rdma_facts("/sys/class/infiniband")},
          {"tcp",
           {{"rmem", read_text_if_readable("/proc/sys/net/ipv4/tcp_rmem")},
            {"wmem", read_text_if_readable("/proc/sys/net/ipv4/tcp_wmem")},
            {"mtu_probing", read_text_if_readable("/proc/sys/net/ipv4/tcp_mtu_probing")},
            {"timestamps", read_text_if_readable("/proc/sys/net/ipv4/tcp_timestamps")},
            {"core_rmem_max", read_text_if_readable("/proc/sys/net/core/rmem_max")},
            {"core_wmem_max", read_text_if_readable("/proc/sys/net/core/wmem_max")},
            {"netdev_max_backlog", read_text_if_readable("/proc/sys/net/core/netdev_max_backlog")}}},
          {"nccl_files", nccl_files()}};
}

void write_node_facts(const std::string& folder) {
  write_file(fmt::format("{}/{}.json", folder, host_name()),
             node_facts().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace ringmark::sweep
