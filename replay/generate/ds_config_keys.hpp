// The keys of a ds_config in all of DeepSpeed's versions up to 0.19.8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/model/config_keys.hpp"

namespace ringmark::replay {

/// The class of `key` in `section`, such as "zero_optimization.offload_param"; empty is the top level. A section
/// that the table does not list has the keys of the one around it. Nothing if the key is unknown.
std::optional<KeyClass> class_of_ds_config_key(std::string_view key, std::string_view section);

/// Null for a key that is modelled, has no effect, or is unknown.
const UnmodelledKey* unmodelled_ds_config_key(std::string_view key, std::string_view section);

/// The key that an unknown key was probably meant to be: the nearest one that differs by a letter or two. Empty if
/// there is none.
std::string_view meant_key(std::string_view key, std::string_view section);

}  // namespace ringmark::replay
