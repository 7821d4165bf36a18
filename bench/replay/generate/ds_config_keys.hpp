// The keys that DeepSpeed has, in any of its versions up to 0.19.
#pragma once

#include <string>
#include <string_view>

namespace ringmark::replay {

/// Of zero_optimization, where DeepSpeed itself refuses others.
bool is_zero_key(std::string_view key);

/// The key that this one was meant to be, if it is not DeepSpeed's but a letter or two away from one; else empty.
/// `is_zero`: within zero_optimization, or else of the file itself.
std::string meant_key(std::string_view key, bool is_zero);

}  // namespace ringmark::replay
