#include "sweeps/launch/allocation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/input/host_list.hpp"
#include "base/input/input.hpp"
#include "sweeps/launch/output_file.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::array source_names{std::string_view("flux"), std::string_view("slurm"), std::string_view("pbs"),
                                  std::string_view("lsf"), std::string_view("host file")};

constexpr std::uint64_t most_host_bytes = std::uint64_t{64} << 20U;

std::vector<AllocatedHost> without_slots(const std::string& list, const std::string& what) {
  std::vector<AllocatedHost> hosts;
  try {
    for (auto& host : expand_host_list(list)) hosts.push_back({std::move(host), std::nullopt});
  } catch (const BadUsage& error) {
    throw BadUsage(fmt::format("{}: {}", what, error.what()));
  }
  for (const auto& host : hosts) check_host_name(host.name, what);
  if (hosts.empty()) throw BadUsage(fmt::format("{} names no hosts", what));
  return hosts;
}

std::optional<int> number_in(const EnvironmentLookup& variable, const char* name) {
  const auto text = variable(name);
  if (!text || text->empty()) return std::nullopt;
  int number = 0;
  if (!read_number(*text, 1, most_slots, number))
    throw BadUsage(fmt::format("{}={} is not a number from 1 to {}", name, *text, most_slots));
  return number;
}

/// "2(x3),1" is 2, 2, 2, 1.
void take_tasks(const std::string& tasks, std::vector<AllocatedHost>& hosts) {
  std::size_t at = 0;
  std::istringstream groups(tasks);
  for (std::string group; std::getline(groups, group, ',');) {
    const auto open = group.find("(x");
    int number = 0, times = 1;
    const bool is_read =
        read_number(group.substr(0, open), 1, most_slots, number) &&
        (open == std::string::npos ||
         (group.ends_with(')') && read_number(group.substr(open + 2, group.size() - open - 3), 1, 1'000'000, times)));
    if (!is_read || at + static_cast<std::size_t>(times) > hosts.size())
      throw BadUsage(
          fmt::format("SLURM_TASKS_PER_NODE={} does not fit the {} hosts of SLURM_JOB_NODELIST", tasks, hosts.size()));
    for (; times > 0; --times) hosts[at++].slots = number;
  }
}

/// Slurm always reports a number of tasks per node: the number of cores if no tasks were requested.
Allocation slurm(const EnvironmentLookup& variable, const std::string& list) {
  Allocation allocation{AllocationSource::slurm, "SLURM_JOB_NODELIST", without_slots(list, "SLURM_JOB_NODELIST")};
  const auto tasks = variable("SLURM_TASKS_PER_NODE");
  std::optional<int> for_each = number_in(variable, "SLURM_NTASKS_PER_NODE");
  if (!for_each && variable("SLURM_NTASKS") && tasks) {
    take_tasks(*tasks, allocation.hosts);
    return allocation;
  }
  if (!for_each) for_each = number_in(variable, "SLURM_GPUS_ON_NODE");
  for (auto& host : allocation.hosts) host.slots = for_each;
  return allocation;
}

Allocation of_file(AllocationSource source, const std::string& from, const std::string& path) {
  const auto what = from == path ? path : fmt::format("{}={}", from, path);
  return {source, from, parse_host_file(whole_file(path, what, most_host_bytes), what)};
}

/// "hostA 4 hostB 2".
Allocation lsf(const std::string& list) {
  Allocation allocation{AllocationSource::lsf, "LSB_MCPU_HOSTS", {}};
  std::istringstream words(list);
  for (std::string host, slots; words >> host >> slots;) {
    int number = 0;
    check_host_name(host, "LSB_MCPU_HOSTS");
    if (!read_number(slots, 1, most_slots, number))
      throw BadUsage(fmt::format("LSB_MCPU_HOSTS: '{}' after {} is not a number of slots", slots, host));
    allocation.hosts.push_back({host, number});
  }
  if (allocation.hosts.empty()) throw BadUsage("LSB_MCPU_HOSTS names no hosts");
  return allocation;
}

/// Flux has no variable for its hosts.
Allocation flux() {
  constexpr auto command = "flux getattr hostlist";
  const auto [succeeded, text] = ask_tool({"flux", "getattr", "hostlist"});
  if (!succeeded) throw BadUsage(fmt::format("FLUX_URI is set, but '{}' failed ({}): give --hosts", command, text));
  return {AllocationSource::flux, command, without_slots(text, command)};
}

}  // namespace

std::string_view name(AllocationSource source) { return source_names.at(static_cast<std::size_t>(source)); }

std::vector<std::string> names_of(const Allocation& allocation) {
  std::vector<std::string> names;
  for (const auto& host : allocation.hosts) names.push_back(host.name);
  return names;
}

std::optional<int> ranks_per_node_of(const Allocation& allocation) {
  std::optional<int> least;
  for (const auto& host : allocation.hosts) {
    if (!host.slots) return std::nullopt;
    least = std::min(least.value_or(*host.slots), *host.slots);
  }
  return least;
}

std::string in_words(const Allocation& allocation) {
  const auto ranks = ranks_per_node_of(allocation);
  return fmt::format("{} hosts of {} ({}){}", allocation.hosts.size(), name(allocation.source), allocation.from,
                     ranks ? fmt::format(", with {} slots on each", *ranks) : "");
}

void to_json(nlohmann::json& json, const Allocation& allocation) {
  json = {{"source", name(allocation.source)}, {"from", allocation.from}, {"hosts", nlohmann::json::array()}};
  for (const auto& host : allocation.hosts) {
    nlohmann::json one{{"name", host.name}};
    if (host.slots) one["slots"] = *host.slots;
    json["hosts"].push_back(std::move(one));
  }
}

void from_json(const nlohmann::json& json, Allocation& allocation) {
  const auto source = json.at("source").get<std::string>();
  const auto found = std::find(source_names.begin(), source_names.end(), source);
  if (found == source_names.end()) throw std::invalid_argument("an allocation from " + source);
  allocation.source = static_cast<AllocationSource>(found - source_names.begin());
  allocation.from = json.at("from").get<std::string>();
  allocation.hosts.clear();
  for (const auto& host : json.at("hosts")) {
    allocation.hosts.push_back({host.at("name").get<std::string>(), std::nullopt});
    if (host.contains("slots")) allocation.hosts.back().slots = host.at("slots").get<int>();
  }
}

std::optional<std::string> own_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<Allocation> find_allocation(const EnvironmentLookup& variable) {
  if (variable("FLUX_URI")) return flux();
  for (const auto* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (const auto list = variable(name)) return slurm(variable, *list);
  }
  if (const auto path = variable("PBS_NODEFILE")) return of_file(AllocationSource::pbs, "PBS_NODEFILE", *path);
  if (const auto path = variable("LSB_DJOB_HOSTFILE"))
    return of_file(AllocationSource::lsf, "LSB_DJOB_HOSTFILE", *path);
  if (const auto list = variable("LSB_MCPU_HOSTS")) return lsf(*list);
  return std::nullopt;
}

Allocation read_host_file(const std::string& path) { return of_file(AllocationSource::host_file, path, path); }

}  // namespace ringmark::sweep
