// The hosts and ranks that a batch system or a host file gives a sweep.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sweeps/file/host_file.hpp"

namespace ringmark::sweep {

enum class AllocationSource { flux, slurm, pbs, lsf, host_file };
std::string_view name(AllocationSource source);

struct Allocation {
  AllocationSource source = AllocationSource::host_file;
  std::string from;  ///< what named the hosts: a variable, a command, or the file
  std::vector<AllocatedHost> hosts;

  bool operator==(const Allocation&) const = default;
};

std::vector<std::string> names_of(const Allocation& allocation);

/// The smallest number of slots of any host; empty if that of some host is unknown.
std::optional<int> ranks_per_node_of(const Allocation& allocation);

/// "4 hosts of slurm (SLURM_JOB_NODELIST), with 2 slots on each".
std::string in_words(const Allocation& allocation);

void to_json(nlohmann::json& json, const Allocation& allocation);
void from_json(const nlohmann::json& json, Allocation& allocation);

/// The value of an environment variable.
using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> own_variable(const char* name);

/// The allocation that this process runs in, the innermost system first: Flux, Slurm, PBS, LSF. Empty outside an
/// allocation. Asks flux(1) for Flux. Throws BadUsage, which names the variable, if its value cannot be parsed.
std::optional<Allocation> find_allocation(const EnvironmentLookup& variable = own_variable);

/// The hosts of a file that the user names. Throws BadUsage.
Allocation read_host_file(const std::string& path);

}  // namespace ringmark::sweep
