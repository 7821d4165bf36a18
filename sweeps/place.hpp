// The machines on which a sweep's launches run. Times of different machines do not compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/surrounding_lab.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

struct Place {
  std::vector<std::string> hosts;  ///< the sweep's, or this one where its launcher was given none
  std::optional<Lab> lab{};        ///< that they are in

  bool operator==(const Place&) const = default;
};
void to_json(nlohmann::json& json, const Place& place);
void from_json(const nlohmann::json& json, Place& place);

/// Where launches of the sweep run if this process starts them.
Place place_of(const Sweep& sweep);

/// Throws BadUsage, which lists both, unless `here` has the hosts of `begun`, in any order, and is in the same lab. A
/// `begun` without hosts is that of an older journal, which tells nothing.
void refuse_other_place(const std::string& folder, const Place& begun, const Place& here);

}  // namespace ringmark::sweep
