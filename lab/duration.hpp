// Times as people write them: 500ms, 3s, 1.5m.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::lab {

constexpr std::string_view allowed_durations = "a number with ms, s or m, such as 500ms, 3s or 1.5s, up to 24 hours";

/// Empty if the text is not one of `allowed_durations`.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// In the largest unit that gives a whole number: "3s", "1500ms". parse_duration accepts the result.
std::string to_string(std::chrono::milliseconds duration);

}  // namespace ringmark::lab
