// Spans of time as text.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

/// "20 s (--timeout)": a limit, and the flag that sets it.
std::string as_timeout(std::chrono::nanoseconds limit);

/// "500ms", "90s", "10min", "2h", "1.5h"; empty for other text, and for times that are not above 0.
std::optional<std::chrono::milliseconds> parse_time(std::string_view text);

}  // namespace ringmark
