// Facts about a sweep's node for the manifest.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ringmark::sweep {

/// Facts about this machine: name, kernel, processor, congestion control, interfaces and RDMA devices with their
/// settings, NCCL's configuration files, allow-listed environment.
nlohmann::json node_facts();

/// Writes them to FOLDER/<host name>.json. Throws std::system_error.
void write_node_facts(const std::string& folder);

}  // namespace ringmark::sweep
