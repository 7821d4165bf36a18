// Files that others wrote: read whole, and parsed within limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringmark {

constexpr std::uint64_t most_description_bytes = std::uint64_t{512} << 20U;

/// A file's or a pipe's bytes. Throws BadUsage that begins with `what` ("--model x.json") for what cannot be read, is a
/// folder, or is larger.
std::string whole_file(const std::string& path, const std::string& what,
                       std::uint64_t most_bytes = most_description_bytes);

/// Throws BadUsage for brackets that are nested more than `deepest` deep: parsers and printers recurse.
void refuse_deep_nesting(std::string_view file, std::string_view text, int deepest = 1000);

/// Throws BadUsage for what is no JSON, or nested too deep. Comments are allowed, as DeepSpeed's users write them.
nlohmann::json parse_json(const std::string& file, const std::string& text);

}  // namespace ringmark
