// Reads and parses external files, within limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringmark {

constexpr std::uint64_t most_description_bytes = std::uint64_t{512} << 20U;

/// How many bytes of a file may be read: at most `most_bytes`, and at most 1 MiB from a device. Throws BadUsage, with a
/// message that begins with `what`, for a folder, and for a file larger than the limit or the free memory. Does not
/// read the file.
std::uint64_t limit_of(const std::string& path, const std::string& what, std::uint64_t most_bytes);

/// The bytes of a file or pipe. Throws BadUsage, with a message that begins with `what` ("--model x.json"), if it
/// cannot be read, is a folder, or is larger than the limit.
std::string whole_file(const std::string& path, const std::string& what,
                       std::uint64_t most_bytes = most_description_bytes);

/// The same for text. Removes the byte order mark that spreadsheet programs write, and converts UTF-16 with such a
/// mark, as in logs written by Windows shells, to UTF-8. Also throws BadUsage if that text is truncated or not valid
/// UTF-16.
std::string whole_text(const std::string& path, const std::string& what,
                       std::uint64_t most_bytes = most_description_bytes);

/// Throws BadUsage for brackets nested deeper than `deepest`, since parsers and printers recurse.
void refuse_deep_nesting(std::string_view file, std::string_view text, int deepest = 1000);

/// Throws BadUsage for invalid or too deeply nested JSON. Comments are allowed, since DeepSpeed users write them.
nlohmann::json parse_json(const std::string& file, const std::string& text);

}  // namespace ringmark
