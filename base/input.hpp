// Reads and parses files from elsewhere, within limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringmark {

constexpr std::uint64_t most_description_bytes = std::uint64_t{512} << 20U;

/// How many bytes of a file may be read: at most `most_bytes`, and few of a device. Throws BadUsage, which begins with
/// `what`, for a folder, and for a file that is larger than the limit or the free memory; it reads nothing.
std::uint64_t limit_of(const std::string& path, const std::string& what, std::uint64_t most_bytes);

/// The bytes of a file or pipe. Throws BadUsage, which begins with `what` ("--model x.json"), if it cannot be read, is
/// a folder, or is larger than the limit.
std::string whole_file(const std::string& path, const std::string& what,
                       std::uint64_t most_bytes = most_description_bytes);

/// The same for a text: one in UTF-16 with a byte order mark, as Windows' shells write logs, becomes UTF-8. Throws
/// BadUsage as well if it breaks off or is no UTF-16 after all.
std::string whole_text(const std::string& path, const std::string& what,
                       std::uint64_t most_bytes = most_description_bytes);

/// Throws BadUsage for brackets nested more than `deepest` deep, since parsers and printers recurse.
void refuse_deep_nesting(std::string_view file, std::string_view text, int deepest = 1000);

/// Throws BadUsage for invalid or too deeply nested JSON. Comments are allowed: DeepSpeed's users write them.
nlohmann::json parse_json(const std::string& file, const std::string& text);

}  // namespace ringmark
