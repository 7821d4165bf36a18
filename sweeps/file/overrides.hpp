// The values that a command line, or a batch system, sets in place of a sweep file's, so that a shipped sweep runs on
// any cluster unedited.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"
#include "sweeps/launch/allocation.hpp"

namespace ringmark::sweep {

struct Overrides {
  std::optional<int> ranks, ranks_per_node;
  std::optional<int> nodes;  ///< number that another system has started, for launchers with needs_nodes()
  std::vector<std::string> hosts;
  std::string launcher;  ///< one of launcher_kinds(), in place of the file's launcher with its arguments; or empty
  std::map<std::string, std::string> variables;  ///< the values by name: "1,2", or a list or range as in the file
  /// The hosts of the batch system's allocation, for a sweep that names none; those of a host file take precedence over
  /// the sweep file's.
  std::optional<Allocation> allocation;

  std::vector<std::string> labels;  ///< KEY=VALUE, for the launched programs

  bool operator==(const Overrides&) const = default;
};

/// For the journal and the manifest: only what is set.
void to_json(nlohmann::json& json, const Overrides& overrides);
void from_json(const nlohmann::json& json, Overrides& overrides);

/// The problem with --hosts or --hostfile if the sweep's launcher does not start ranks on hosts. Its remedy applies to
/// a new sweep.
std::optional<Problem> problem_of_hosts(const Overrides& overrides, const Sweep& sweep);

/// True if the sweep is placed on the allocation's hosts: neither the sweep nor the command line names others, and its
/// launcher starts ranks on hosts.
bool uses_allocation(const Overrides& overrides, const Sweep& sweep);

/// All hosts from outside the file are used: they determine the number of ranks, unless the command line gives it or
/// the file varies it. Returns problems: a key that the sweep varies cannot be overridden, nor a variable that it does
/// not have.
std::vector<Problem> apply(const Overrides& overrides, Sweep& sweep);

}  // namespace ringmark::sweep
