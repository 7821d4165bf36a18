// The machines on which a sweep's launches run. Times of different machines are not comparable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/surrounding_lab.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

struct Machines {
  std::vector<std::string> hosts;  ///< the sweep's, or this host if its launcher was given none
  std::optional<Lab> lab{};        ///< the lab that they are in, if any

  bool operator==(const Machines&) const = default;
};
void to_json(nlohmann::json& json, const Machines& machines);
void from_json(const nlohmann::json& json, Machines& machines);

/// Where launches of the sweep run if this process starts them.
Machines machines_of(const Sweep& sweep);

/// Throws BadUsage, which lists both, unless `here` has the hosts of `begun`, in any order, and is in the same lab.
/// Accepts a `begun` without hosts, which comes from an older journal.
void refuse_other_machines(const std::string& folder, const Machines& begun, const Machines& here);

}  // namespace ringmark::sweep
