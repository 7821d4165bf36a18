#include "transports/nccl/findings.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transports/nccl/parameters.hpp"

namespace ringmark {

void NcclFindings::add(std::string_view log) {
  while (!log.empty()) {
    const auto end = std::min(log.find('\n'), log.size());
    const auto text = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (text.empty()) continue;
    const auto line = split_nccl_line(text);
    if (!line) {
      ++skipped_lines;
    } else if (line->level == "WARN") {
      warnings.emplace_back(line->text);
    } else if (const auto chosen = read_nccl_choice(line->text)) {
      choice = chosen;
    } else if (const auto connection = read_nccl_connection(line->text)) {
      connections.insert(connection->transport);
      gpu_direct = gpu_direct || connection->gpu_direct;
    } else if (const auto found = read_nccl_network(line->text)) {
      network = found;
    } else if (const auto threads = read_nccl_socket_threads(line->text)) {
      socket_threads = threads;
    }
  }
}

std::string NcclFindings::network_word() const {
  for (const auto& connection : connections) {
    if (connection == "NET/Socket") return "tcp";
    if (connection.starts_with("NET/IB")) return network && network->link_layer == "RoCE" ? "roce" : "ib";
    if (connection.starts_with("NET/")) return connection;
  }
  if (connections.contains("SHM")) return "shm";
  return connections.contains("P2P") ? "device" : "";
}

std::string ignored_settings(const NcclFindings& findings, const std::map<std::string, std::string>& environment,
                             std::string_view collective) {
  std::vector<std::string> lines;
  const auto setting = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  if (findings.choice) {
    for (const auto& [name, used] :
         {std::pair{"NCCL_ALGO", findings.choice->algorithm}, std::pair{"NCCL_PROTO", findings.choice->protocol}}) {
      const auto value = setting(name);
      const auto allowed = words_allowed(name, value, collective);
      if (!value.empty() && std::find(allowed.begin(), allowed.end(), used) == allowed.end())
        lines.push_back(fmt::format("{}={}: NCCL used {}", name, value, used));
    }
    for (const char* name : {"NCCL_MAX_NCHANNELS", "NCCL_MAX_CTAS"}) {
      const auto value = setting(name);
      const bool has_minimum = !setting("NCCL_MIN_NCHANNELS").empty() || !setting("NCCL_MIN_CTAS").empty();
      if (!value.empty() && !has_minimum && findings.choice->channels > std::atoi(value.c_str()))
        lines.push_back(fmt::format("{}={}: NCCL used {} channels", name, value, findings.choice->channels));
    }
  }
  if (findings.socket_threads) {
    const auto told = [&](const char* name, int used) {
      const auto value = setting(name);
      if (!value.empty() && used != std::strtol(value.c_str(), nullptr, 0))
        lines.push_back(fmt::format("{}={}: NCCL used {}", name, value, used));
    };
    told("NCCL_SOCKET_NTHREADS", findings.socket_threads->threads);
    told("NCCL_NSOCKS_PERTHREAD", findings.socket_threads->threads > 0 ? findings.socket_threads->sockets : 0);
  }
  const bool over_sockets = findings.connections.contains("NET/Socket");
  const bool asked_for_ib = setting("NCCL_NET") == "IB" || !setting("NCCL_IB_HCA").empty();
  if (over_sockets && asked_for_ib)
    lines.push_back(fmt::format("NCCL fell back to sockets, although {} asks for IB",
                                setting("NCCL_NET") == "IB" ? "NCCL_NET=IB" : "NCCL_IB_HCA=" + setting("NCCL_IB_HCA")));
  const bool over_ib = std::any_of(findings.connections.begin(), findings.connections.end(),
                                   [](const auto& each) { return each.starts_with("NET/IB"); });
  if (over_ib && (setting("NCCL_IB_DISABLE") == "1" || setting("NCCL_NET") == "Socket"))
    lines.emplace_back("NCCL uses IB, although sockets were asked for");
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace ringmark
