// The keys of a ds_config in all of DeepSpeed's versions up to 0.19; at the top level only those that shape a step.
#pragma once

#include <string>
#include <string_view>

namespace ringmark::replay {

/// Whether `key` exists in `section`, such as "zero_optimization"; empty is the top level. True for any key of an
/// unknown section.
bool is_ds_config_key(std::string_view key, std::string_view section);

/// Whether the top level may have `key`, whatever it sets.
bool is_ds_config_key_of_any_kind(std::string_view key);

/// The key that an unknown key was probably meant to be: the nearest within a letter or two. Empty if there is none.
std::string meant_key(std::string_view key, std::string_view section);

}  // namespace ringmark::replay
