// The values that a command line sets in place of a sweep file's, so that a shipped sweep runs on any cluster unedited.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/problem.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

struct Overrides {
  std::optional<int> ranks, ranks_per_node;
  std::vector<std::string> hosts;
  std::string launcher;  ///< one of launcher_kinds(), in place of the file's launcher with its arguments; or empty

  bool operator==(const Overrides&) const = default;
};

/// For the journal and the manifest: only what is set.
void to_json(nlohmann::json& json, const Overrides& overrides);
void from_json(const nlohmann::json& json, Overrides& overrides);

/// The problems: a key that the sweep varies cannot be overridden.
std::vector<Problem> apply(const Overrides& overrides, Sweep& sweep);

}  // namespace ringmark::sweep
