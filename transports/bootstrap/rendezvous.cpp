#include "transports/bootstrap/rendezvous.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/stat.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/input/host_list.hpp"
#include "base/input/input.hpp"
#include "base/system/host.hpp"
#include "base/text/with_count.hpp"

namespace ringmark {
namespace {

constexpr int default_port = 29500;  // torch's
constexpr int spare_ports = 8;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

constexpr int most_ranks = 1'000'000;
constexpr int most_port = 65535;

int number_in(const char* name, std::string_view set_variable, int most) {
  const auto text = variable(name);
  if (!text) throw BadUsage(fmt::format("{} is set but {} is not; set both, or start with mpirun", set_variable, name));
  int value = 0;
  if (!read_number(*text, 0, most, value))
    throw BadUsage(fmt::format("{}={}: give a number from 0 to {}", name, *text, most));
  return value;
}

Rendezvous checked(Rendezvous place, std::string_view rank_name, std::string_view ranks_name) {
  if (place.ranks < 1) throw BadUsage(fmt::format("{} is {}: a run has at least one rank", ranks_name, place.ranks));
  if (place.rank >= place.ranks)
    throw BadUsage(fmt::format("{} is {} but {} is {}: ranks are numbered from 0 to {}", rank_name, place.rank,
                               ranks_name, place.ranks, place.ranks - 1));
  return place;
}

Rendezvous torchrun() {
  Rendezvous place{.launcher = "torchrun"};
  place.rank = number_in("RANK", "WORLD_SIZE", most_ranks);
  place.ranks = number_in("WORLD_SIZE", "RANK", most_ranks);
  const auto address = variable("MASTER_ADDR");
  if (!address) throw BadUsage("RANK and WORLD_SIZE are set but MASTER_ADDR is not; set it to rank 0's host");
  const int port = number_in("MASTER_PORT", "MASTER_ADDR", most_port);
  place.host = *address;
  place.source = fmt::format("MASTER_ADDR={} MASTER_PORT={}", *address, port);
  place.port = static_cast<std::uint16_t>(port);
  // torchrun itself listens on the port.
  if (variable("TORCHELASTIC_USE_AGENT_STORE") == "True") {
    place.port = static_cast<std::uint16_t>(port < most_port - spare_ports ? port + 1 : port - spare_ports);
    place.ports = spare_ports;
  }
  place.run = fmt::format("torchrun {} {}", variable("TORCHELASTIC_RUN_ID").value_or(""),
                          variable("TORCHELASTIC_RESTART_COUNT").value_or(""));
  return checked(std::move(place), "RANK", "WORLD_SIZE");
}

Rendezvous slurm() {
  const int rank = number_in("SLURM_PROCID", "SLURM_STEP_ID", most_ranks);
  const int ranks = number_in("SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", most_ranks);
  const auto nodes = variable("SLURM_STEP_NODELIST");
  if (!nodes) throw BadUsage("SLURM_STEP_ID is set but SLURM_STEP_NODELIST is not; start with srun");
  const auto hosts = expand_host_list(*nodes);
  if (hosts.empty()) throw BadUsage("SLURM_STEP_NODELIST is empty");
  const auto job = variable("SLURM_JOB_ID").value_or("0"), step = variable("SLURM_STEP_ID").value_or("0");
  // Below the kernel's ephemeral ports. Steps on the same node rarely get the same port, and have spare ones.
  constexpr int first_port = 15'000, port_span = 17'000;
  // IDs that are not numbers share the ports of 0.
  int job_number = 0, step_number = 0;
  read_number(job, 0, 1'000'000'000, job_number);
  read_number(step, 0, most_ranks, step_number);
  const int port = first_port + (job_number % port_span * 16 + step_number * spare_ports) % port_span;
  return checked({.launcher = "slurm",
                  .source = fmt::format("SLURM_STEP_NODELIST={}", *nodes),
                  // Ranks on a single node need no resolvable name.
                  .host = hosts.size() == 1 ? "127.0.0.1" : hosts.front(),
                  .port = static_cast<std::uint16_t>(port),
                  .ports = spare_ports,
                  .run = fmt::format("slurm {}.{}", job, step),
                  .rank = rank,
                  .ranks = ranks},
                 "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
}

/// This host's name with its domain, if the system knows one; for a pod it contains the headless service.
std::string full_host_name() {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  auto own = host_name();
  if (::getaddrinfo(own.c_str(), nullptr, &hints, &found) != 0) return own;
  std::string name = found->ai_canonname != nullptr ? found->ai_canonname : own;
  ::freeaddrinfo(found);
  return name.starts_with(own) ? name : own;
}

Rendezvous indexed_job(std::optional<int> ranks, std::string_view ranks_flag) {
  const int rank = number_in("JOB_COMPLETION_INDEX", "JOB_COMPLETION_INDEX", most_ranks);
  if (!ranks)
    throw BadUsage(
        fmt::format("JOB_COMPLETION_INDEX={} makes this process one of an Indexed Job: give {} with the job's number "
                    "of completions",
                    rank, ranks_flag));
  const auto name = full_host_name();
  const auto dot = std::min(name.find('.'), name.size());
  const auto ending = fmt::format("-{}", rank);
  const auto own = std::string_view(name).substr(0, dot);
  if (!own.ends_with(ending))
    throw BadUsage(
        fmt::format("JOB_COMPLETION_INDEX={}, but the host name {} does not end in {}: rank 0's host cannot be "
                    "derived from it; set RANK={} WORLD_SIZE={}, and MASTER_ADDR and MASTER_PORT to rank 0's",
                    rank, own, ending, rank, *ranks));
  auto host = fmt::format("{}-0{}", own.substr(0, own.size() - ending.size()), name.substr(dot));
  return checked({.launcher = "indexed job",
                  .source = "JOB_COMPLETION_INDEX and the pod's host name",
                  .host = std::move(host),
                  .port = default_port,
                  .run = fmt::format("job {}", own.substr(0, own.size() - ending.size())),
                  .rank = rank,
                  .ranks = *ranks},
                 "JOB_COMPLETION_INDEX", ranks_flag);
}

}  // namespace

Rendezvous rendezvous_at(const std::string& address, std::optional<int> rank, std::optional<int> ranks) {
  if (!rank) throw BadUsage("--rendezvous needs --rank, this rank's number from 0");
  if (!ranks) throw BadUsage("--rendezvous needs --ranks, the total number of ranks");
  const auto colon = address.rfind(':');
  int port = 0;
  const bool has_port = colon != std::string::npos && read_number(address.substr(colon + 1), 1, most_port, port);
  auto host = address.substr(0, std::min(colon, address.size()));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || !has_port)
    throw BadUsage(
        fmt::format("--rendezvous {}: give rank 0's host and a free port there, such as node1:29500", address));
  return checked({.launcher = "rendezvous",
                  .source = fmt::format("--rendezvous {}", address),
                  .host = std::move(host),
                  .port = static_cast<std::uint16_t>(port),
                  .rank = *rank,
                  .ranks = *ranks},
                 "--rank", "--ranks");
}

std::optional<Rendezvous> rendezvous_from_environment(std::optional<int> ranks, std::string_view ranks_flag) {
  if (variable("RANK") && variable("WORLD_SIZE")) return torchrun();
  if (variable("SLURM_STEP_ID") && variable("SLURM_PROCID") && variable("SLURM_STEP_NUM_TASKS").value_or("1") != "1")
    return slurm();
  if (variable("JOB_COMPLETION_INDEX")) return indexed_job(ranks, ranks_flag);
  return std::nullopt;
}

std::string shared_secret() {
  auto secret = variable("RINGMARK_TOKEN");
  if (const auto file = variable("RINGMARK_TOKEN_FILE")) {
    if (secret) throw BadUsage("RINGMARK_TOKEN and RINGMARK_TOKEN_FILE are both set; set only one of them");
    constexpr std::uint64_t most_bytes = 4096;
    secret = whole_file(*file, "RINGMARK_TOKEN_FILE " + *file, most_bytes);
    while (secret->ends_with('\n') || secret->ends_with('\r')) secret->pop_back();
  }
  if (secret && secret->find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadUsage("the secret is empty; put a secret into RINGMARK_TOKEN or RINGMARK_TOKEN_FILE, or unset it");
  return secret.value_or("");
}

std::string doubt_about_secret(const std::string& secret) {
  constexpr std::size_t fewest_bytes = 8;
  struct stat status {};
  if (const auto file = variable("RINGMARK_TOKEN_FILE");
      file && ::stat(file->c_str(), &status) == 0 && (status.st_mode & (S_IROTH | S_IWOTH)) != 0)
    return fmt::format("every user of this host can read or change RINGMARK_TOKEN_FILE {}: chmod 600 it", *file);
  if (!secret.empty() && secret.size() < fewest_bytes)
    return fmt::format(
        "the secret in RINGMARK_TOKEN has {} and can be guessed; use {} or more, for example from "
        "openssl rand -hex 16",
        with_count(secret.size(), "byte"), fewest_bytes);
  return "";
}

}  // namespace ringmark
