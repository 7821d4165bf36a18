// The keys of a ds_config, in any of DeepSpeed's versions up to 0.19; of the file itself those that shape a step.
#pragma once

#include <string>
#include <string_view>

namespace ringmark::replay {

/// Within a section, such as "zero_optimization"; an empty one is the file itself. All are keys of a section that is
/// not known.
bool is_ds_config_key(std::string_view key, std::string_view section);

/// The key that this one, which is none, was meant to be: the nearest, a letter or two away. Empty if there is none.
std::string meant_key(std::string_view key, std::string_view section);

}  // namespace ringmark::replay
