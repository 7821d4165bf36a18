#include "sweeps/new_sweep.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/system/files.hpp"
#include "base/system/host.hpp"
#include "base/transport.hpp"
#include "sweeps/file/launcher_file.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Interface> find_interfaces(const fs::path& root) {
  std::vector<Interface> found;
  for (const auto& name : names_in(root / "sys/class/net")) {
    const auto folder = root / "sys/class/net" / name;
    constexpr auto loopback = "772";  // ARPHRD_LOOPBACK
    if (name == "lo" || read_text_if_readable((folder / "type").string()) == loopback) continue;
    Interface interface { name, read_text_if_readable((folder / "operstate").string()) == "up", 0 };
    const auto speed = read_text_if_readable((folder / "speed").string());
    std::from_chars(speed.data(), speed.data() + speed.size(), interface.speed_Mbps);
    interface.speed_Mbps = std::max(0, interface.speed_Mbps);  // -1: unknown
    found.push_back(interface);
  }
  std::stable_sort(found.begin(), found.end(), [](const Interface& a, const Interface& b) {
    return std::pair(a.is_up, a.speed_Mbps) > std::pair(b.is_up, b.speed_Mbps);
  });
  return found;
}

bool is_in_path(const std::string& program, const EnvironmentLookup& variable) {
  std::istringstream folders(variable("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

void choose_launcher(ClusterFacts& cluster, const EnvironmentLookup& variable) {
  const auto choose = [&](LauncherKind kind, std::string why) {
    cluster.launcher = kind;
    cluster.why_launcher = std::move(why);
  };
  const auto& allocation = cluster.allocation;
  if (allocation && allocation->source == AllocationSource::slurm && is_in_path("srun", variable))
    return choose(LauncherKind::slurm, "this is a Slurm allocation");
  if (variable("RANK") && variable("WORLD_SIZE"))
    return choose(LauncherKind::none, "RANK and WORLD_SIZE are set: another system starts the nodes");
  if (is_in_path("mpirun.mpich", variable)) return choose(LauncherKind::mpich, "mpirun.mpich is in PATH");
  if (is_in_path("mpirun.openmpi", variable)) return choose(LauncherKind::open_mpi, "mpirun.openmpi is in PATH");
  if (allocation || !cluster.named_hosts.empty())
    return choose(LauncherKind::none, "no mpirun in PATH: start ringmark-sweep on every host");
  choose(LauncherKind::local, "no mpirun in PATH, and this is not an allocation");
}

std::string in_words(const Interface& interface) {
  return fmt::format("{} ({}{})", interface.name, interface.is_up ? "up" : "down",
                     interface.speed_Mbps > 0 ? fmt::format(", {:g} Gbit/s", interface.speed_Mbps / 1000.0) : "");
}

std::string name_of(LauncherKind kind) {
  for (const auto& [name, each] : launcher_kinds()) {
    if (each == kind) return std::string(name);
  }
  return "local";
}

bool starts_mpi(LauncherKind kind) {
  return kind == LauncherKind::mpich || kind == LauncherKind::open_mpi || kind == LauncherKind::slurm;
}

std::vector<std::string> transports_of(const ClusterFacts& cluster) {
  std::vector<std::string> transports{"tcp"};
  if (starts_mpi(cluster.launcher)) transports.emplace_back("mpi");
  if (!cluster.rdma_devices.empty()) transports.emplace_back("verbs");
  if (cluster.gpus > 0 && cluster.has_nccl) transports.emplace_back("nccl");
  return transports;
}

constexpr auto measuring = "sizes: [1K, 64K, 1M, 16M], max-time: 2, in-place: \"no\"";

/// Two keys that may replace those above.
std::string instead(const std::string& transport, const std::vector<std::string>& variables) {
  auto text = fmt::format(
      "# To vary options of {0} instead of transports:\n# arguments: {{transport: {0}, {1}}}\n# variables:\n",
      transport, measuring);
  for (const auto& variable : variables) {
    if (!variable.empty()) text += fmt::format("#   {}\n", variable);
  }
  return text + "\n";
}

template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& each : range) names.emplace_back(name(each));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ClusterFacts find_cluster(std::optional<Allocation> allocation, std::vector<std::string> named_hosts,
                          const fs::path& root, const EnvironmentLookup& variable) {
  ClusterFacts cluster{.host = host_name(), .allocation = std::move(allocation), .named_hosts = std::move(named_hosts)};
  cluster.interfaces = find_interfaces(root);
  cluster.rdma_devices = names_in(root / "sys/class/infiniband");
  for (const auto& name : names_in(root / "dev")) {
    constexpr std::string_view prefix = "nvidia";
    const auto number = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
    cluster.gpus += !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  }
  for (const auto* folder : {"usr/lib", "usr/lib64", "usr/local/lib", "usr/lib/x86_64-linux-gnu",
                             "usr/lib/aarch64-linux-gnu", "usr/local/nccl/lib"}) {
    std::error_code none;
    cluster.has_nccl = cluster.has_nccl || fs::exists(root / folder / "libnccl.so.2", none);
  }
  choose_launcher(cluster, variable);
  return cluster;
}

std::string new_sweep(const ClusterFacts& cluster) {
  const auto& allocation = cluster.allocation;
  const auto hosts = !cluster.named_hosts.empty() ? cluster.named_hosts
                     : allocation                 ? names_of(*allocation)
                                                  : std::vector<std::string>{};
  const auto slots = allocation && cluster.named_hosts.empty() ? ranks_per_node_of(*allocation) : std::nullopt;
  const bool is_local = cluster.launcher == LauncherKind::local;
  const int per_node = slots.value_or(cluster.gpus > 0 ? cluster.gpus : is_local ? 2 : 1);
  const auto nodes = std::max<std::size_t>(hosts.size(), is_local ? 1 : 2);
  // When the sweep runs, the batch system names its hosts again; they may differ.
  const bool are_fixed =
      !cluster.named_hosts.empty() || (allocation && allocation->source == AllocationSource::host_file);
  const auto found_hosts = hosts.empty()
                               ? std::string("no hosts are known: give --hosts or --hostfile to ringmark-sweep run")
                               : fmt::format("{} hosts: {}", hosts.size(), fmt::join(hosts, ","));
  std::string file = fmt::format(
      "# A sweep for this cluster, as seen from {}. Edit it, then:\n"
      "#   ringmark-sweep run FILE --dry-run\n"
      "#   ringmark-sweep run FILE -o results\n"
      "# ringmark-sweep run --help explains the keys, and docs/guide/sweeps.md has more.\n"
      "question: Which transport is fastest here, at which size?\n"
      "# Also: broadcast, reduce, all-to-all, gather, scatter, send-recv; link and replay have sweeps of their own.\n"
      "program: [all-reduce, reduce-scatter, all-gather]\n\n"
      "# {}. Also: mpich, openmpi, slurm, srun, torchrun, none, local.\n"
      "launcher: {}\n",
      cluster.host, cluster.why_launcher, name_of(cluster.launcher));
  file += fmt::format("# {}\n", allocation && !are_fixed ? in_words(*allocation) : found_hosts);
  if (are_fixed && !is_local && cluster.launcher != LauncherKind::none)
    file += fmt::format("hosts: [{}]\n", fmt::join(hosts, ", "));
  file += fmt::format(
      "ranks: {}\n"
      "ranks_per_node: {}        # {}\n\n"
      "# This node: interfaces {}; RDMA devices {}; GPUs {}{}.\n"
      "arguments: {{{}}}\n"
      "variables:\n"
      "  transport: [{}]        # those of {} that seem usable here\n\n",
      nodes * static_cast<std::size_t>(per_node), per_node,
      slots              ? "slots of each host"
      : cluster.gpus > 0 ? "this node's GPUs"
                         : "no GPU found on this node",
      listed(cluster.interfaces, [](const Interface& each) { return in_words(each); }),
      listed(cluster.rdma_devices, [](const std::string& each) { return each; }), cluster.gpus,
      cluster.has_nccl ? ", with NCCL" : "", measuring, fmt::join(transports_of(cluster), ", "),
      listed(all_transports(), [](Transport each) { return ringmark::name(each); }));
  std::vector<std::string> up;
  for (const auto& interface : cluster.interfaces) {
    if (interface.is_up) up.push_back(interface.name);
  }
  file += instead("tcp", {"tcp.sockets: [unset, 2, 4]",
                          up.size() > 1 ? fmt::format("tcp.interface: [{}]", fmt::join(up, ", ")) : ""});
  if (cluster.rdma_devices.size() > 1)
    file += instead("verbs", {fmt::format("verbs.device: [{}]", fmt::join(cluster.rdma_devices, ", "))});
  file +=
      "repetitions: 5        # launches of each setting\n"
      "seed: 1\n"
      "deadline: 2min        # for each launch\n";
  return file;
}

}  // namespace ringmark::sweep
