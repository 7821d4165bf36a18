// Which cores this process runs on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmark {

/// "0-3,8" as the kernel lists cores; what does not read so ends the list.
std::vector<int> cores_in(std::string_view list);

/// The cores beside a network interface; nothing where its device tells no NUMA node, as virtual ones.
std::optional<std::vector<int>> cores_near(std::string_view interface);

/// Those of `cores` that this process may use, in ascending order; all that it may use if there are none.
std::vector<int> usable_of(const std::vector<int>& cores);

/// Throws TransportError.
void bind_to(const std::vector<int>& cores);

}  // namespace ringmark
