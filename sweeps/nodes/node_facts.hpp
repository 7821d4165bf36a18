// Facts about a sweep's node for the manifest.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ringmark::sweep {

/// Facts about this machine: name, kernel, processor, congestion control, interfaces and RDMA devices with their
/// settings, NCCL's configuration files, allow-listed environment.
nlohmann::json node_facts();

/// The RDMA devices in a folder such as /sys/class/infiniband, each with the facts of its first port. Other ports have
/// entries of their own, such as "mlx5_0:2".
nlohmann::json rdma_facts(const std::string& folder);

/// Writes node_facts() to FOLDER/<host name>.json. Throws std::system_error.
void write_node_facts(const std::string& folder);

}  // namespace ringmark::sweep
