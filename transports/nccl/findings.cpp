#include "transports/nccl/findings.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.hpp"
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
    } else if (const auto count = read_nccl_channel_count(line->text)) {
      channels = count;
    }
  }
}

std::optional<Network> NcclFindings::network_used() const {
  for (const auto& connection : connections) {
    if (connection == "NET/Socket") return Network::tcp;
    if (connection.starts_with("NET/IB")) return network && network->link_layer == "RoCE" ? Network::roce : Network::ib;
    if (connection.starts_with("NET/")) return parse_network(connection);
    // Switches that reduce data belong to the network that NCCL found.
    if (connection.starts_with("COLLNET/") && network)
      return network->link_layer == "RoCE" ? Network::roce
             : network->link_layer == "IB" ? Network::ib
                                           : parse_network(network->transport);
  }
  if (connections.contains("SHM")) return Network::shm;
  // NVLS and symmetric kernels connect within a node without logging it; from 2.29 on, rail kernels cross nodes.
  const bool is_by_nvlink = choice && (choice->algorithm == "NVLS" || choice->algorithm == nccl_symmetric) &&
                            choice->protocol.find("Rail") == std::string::npos;
  const bool is_device = connections.contains("P2P") || (connections.empty() && is_by_nvlink);
  return is_device ? std::optional<Network>(Network::device) : std::nullopt;
}

namespace {

/// Compares NCCL's log with the values of the variables, and adds a line for each difference.
class Ignored {
 public:
  Ignored(const NcclFindings& findings, const std::map<std::string, std::string>& environment)
      : findings_(findings), environment_(environment) {}

  std::vector<std::string> run(std::string_view collective) {
    check_choice(collective);
    check_channels();
    check_networks();
    check_sockets();
    return std::move(lines_);
  }

 private:
  std::string setting(std::string_view name) const {
    const auto found = environment_.find(std::string(name));
    return found == environment_.end() ? std::string() : found->second;
  }
  std::optional<long long> number(std::string_view name) const { return parameter_number(setting(name)); }

  template <class... Args>
  void tell(std::string_view name, fmt::format_string<Args...> text, Args&&... args) {
    lines_.push_back(fmt::format("{}={}: {}", name, setting(name), fmt::format(text, std::forward<Args>(args)...)));
  }

  void check_choice(std::string_view collective) {
    if (!findings_.choice) return;
    for (const auto& [name, used] :
         {std::pair{"NCCL_ALGO", findings_.choice->algorithm}, std::pair{"NCCL_PROTO", findings_.choice->protocol}}) {
      const auto allowed = words_allowed(name, setting(name), collective);
      if (!setting(name).empty() && std::find(allowed.begin(), allowed.end(), used) == allowed.end())
        tell(name, "NCCL used {}", used);
    }
  }

  /// A minimum overrides a maximum. A call may use fewer channels than were created.
  void check_channels() {
    const int used = findings_.choice ? findings_.choice->channels : 0, made = findings_.channels.value_or(0);
    long long least = 0;
    for (const char* name : {"NCCL_MIN_NCHANNELS", "NCCL_MIN_CTAS"}) {
      const auto asked = number(name).value_or(0);
      least = std::max(least, asked);
      if (made > 0 && made < asked) tell(name, "NCCL created {} channels", made);
    }
    for (const char* name : {"NCCL_MAX_NCHANNELS", "NCCL_MAX_CTAS"}) {
      const auto asked = number(name);
      if (!asked || std::max(used, made) <= std::max(*asked, least)) continue;
      tell(name, "NCCL {} {} channels", made > *asked ? "created" : "used", std::max(used, made));
    }
  }

  bool is_over(std::string_view transport) const {
    return std::any_of(findings_.connections.begin(), findings_.connections.end(),
                       [&](const auto& each) { return each.starts_with(transport); });
  }

  void check_networks() {
    const auto net = lower_case(setting("NCCL_NET"));
    const auto cards = setting("NCCL_IB_HCA");
    const bool wants_ib = net == "ib" || (!cards.empty() && !cards.starts_with('^'));
    const bool wants_sockets = net == "socket" || setting("NCCL_IB_DISABLE") == "1";
    if (is_over("NET/Socket") && wants_ib && !wants_sockets)
      lines_.push_back(fmt::format("NCCL fell back to sockets although {} requests IB",
                                   net == "ib" ? "NCCL_NET=" + setting("NCCL_NET") : "NCCL_IB_HCA=" + cards));
    if (is_over("NET/IB") && wants_sockets) lines_.emplace_back("NCCL uses IB although sockets were requested");
    if (is_over("P2P") && setting("NCCL_P2P_DISABLE") == "1") tell("NCCL_P2P_DISABLE", "NCCL used P2P");
    if (is_over("SHM") && setting("NCCL_SHM_DISABLE") == "1") tell("NCCL_SHM_DISABLE", "NCCL used shared memory");
    if (findings_.connections.empty()) return;
    for (const auto& parameter : nccl_parameters()) {
      if (setting(parameter.name).empty()) continue;
      if (parameter.affects == nccl_over_sockets && !is_over("NET/Socket"))
        tell(parameter.name, "no connection goes over sockets");
      if (parameter.affects == nccl_over_ib && !is_over("NET/IB") && !wants_sockets && !is_over("NET/Socket"))
        tell(parameter.name, "no connection goes over IB or RoCE");
      if (parameter.affects == nccl_over_ib && parameter.name != "NCCL_IB_HCA" && is_over("NET/Socket") &&
          !wants_sockets)
        tell(parameter.name, "NCCL uses sockets");
    }
  }

  void check_sockets() {
    if (!is_over("NET/Socket")) return;
    // NCCL logs helper threads only if it uses any.
    const auto used = findings_.socket_threads.value_or(NcclSocketThreads{});
    const auto threads = number("NCCL_SOCKET_NTHREADS"), sockets = number("NCCL_NSOCKS_PERTHREAD");
    if (threads && *threads != used.threads) tell("NCCL_SOCKET_NTHREADS", "NCCL used {}", used.threads);
    if (sockets && used.threads == 0) tell("NCCL_NSOCKS_PERTHREAD", "NCCL used no helper threads");
    if (sockets && used.threads > 0 && *sockets != used.sockets)
      tell("NCCL_NSOCKS_PERTHREAD", "NCCL used {}", used.sockets);
  }

  const NcclFindings& findings_;
  const std::map<std::string, std::string>& environment_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string ignored_settings(const NcclFindings& findings, const std::map<std::string, std::string>& environment,
                             std::string_view collective) {
  return fmt::format("{}", fmt::join(Ignored(findings, environment).run(collective), "; "));
}

}  // namespace ringmark
