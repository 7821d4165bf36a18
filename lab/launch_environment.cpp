#include "lab/launch_environment.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/system/check.hpp"
#include "lab/isolation.hpp"
#include "lab/remote_shell.hpp"

namespace ringmark::lab {
namespace {

constexpr std::string_view hydra_hosts = "hydra-hosts";
constexpr std::string_view open_mpi_hosts = "open-mpi-hosts";
constexpr std::string_view session_directory = "sessions";

}  // namespace

std::vector<Variable> launch_environment(const std::vector<Nic>& nics) {
  const std::string ssh = lab_path(remote_shell_name);
  const auto& first = nics.front().device;
  std::string all;
  for (const Nic& nic : nics) all += (all.empty() ? "" : ",") + nic.device;
  return {
      // MPICH's launcher.
      {"HYDRA_LAUNCHER", "ssh"},
      {"HYDRA_LAUNCHER_EXEC", ssh},
      {"HYDRA_HOST_FILE", lab_path(hydra_hosts)},
      {"HYDRA_IFACE", first},
      // MPICH and UCX use the network even between ranks that could share memory.
      {"MPIR_CVAR_NOLOCAL", "1"},
      {"UCX_TLS", "tcp,self"},
      {"UCX_NET_DEVICES", all},
      // Open MPI's launcher.
      {"OMPI_MCA_plm", "rsh"},
      {"OMPI_MCA_plm_rsh_agent", ssh},
      {"OMPI_MCA_orte_default_hostfile", lab_path(open_mpi_hosts)},
      {"OMPI_MCA_oob_tcp_if_include", first},
      {"OMPI_MCA_rmaps_base_mapping_policy", "node"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      // Open MPI names its files by host name and process number, which are the same in all labs.
      {"OMPI_MCA_orte_tmpdir_base", lab_path(session_directory)},
      // Open MPI uses the network even between ranks that could share memory.
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_btl", "tcp,self"},
      {"OMPI_MCA_btl_tcp_if_include", all},
  };
}

std::string hydra_host_file(const std::vector<Host>& hosts) {
  std::string file;
  for (const Host& host : hosts) file += fmt::format("{}:1\n", host.address());
  return file;
}

std::string open_mpi_host_file(const std::vector<Host>& hosts) {
  std::string file;
  for (const Host& host : hosts) file += fmt::format("{} slots=1\n", host.address());
  return file;
}

std::string names_file(std::string_view machine_names, const std::vector<Host>& hosts) {
  std::string file;
  for (const Host& host : hosts) {
    const auto& nic = host.nics.front();
    file += fmt::format("{} {}\n", nic.address, host.name);
    if (!nic.address6.empty()) file += fmt::format("{} {}\n", nic.address6, host.name);
    for (std::size_t rail = 1; rail < host.nics.size(); ++rail)
      file += fmt::format("{} {}-{}\n", host.nics[rail].address, host.name, host.nics[rail].device);
  }
  if (machine_names.find("localhost") == std::string_view::npos) file += "127.0.0.1 localhost\n";
  return file + std::string(machine_names);
}

void write_launch_files(const std::vector<Host>& hosts) {
  write_lab_file(hydra_hosts, hydra_host_file(hosts));
  write_lab_file(open_mpi_hosts, open_mpi_host_file(hosts));
  const std::string sessions = lab_path(session_directory);
  check_sys(::mkdir(sessions.c_str(), 0700), "make {}", sessions);
  std::filesystem::create_symlink(std::filesystem::read_symlink("/proc/self/exe"), lab_path(remote_shell_name));
}

void set_launch_environment(const std::vector<Nic>& nics, bool verbose) {
  for (const Variable& variable : launch_environment(nics)) {
    const bool users = std::getenv(variable.name.c_str()) != nullptr;
    if (verbose)
      fmt::print(stderr, "ringmark-lab: {}={}{}\n", variable.name, variable.value,
                 users ? " (not set: your value is kept)" : "");
    check_sys(::setenv(variable.name.c_str(), variable.value.c_str(), 0), "set {}", variable.name);
  }
}

}  // namespace ringmark::lab
