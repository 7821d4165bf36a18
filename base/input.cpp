#include "base/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"

namespace ringmark {

namespace {

/// "64 MiB", or "512 bytes".
std::string in_mib(std::uint64_t bytes) {
  return bytes < 1U << 20U ? fmt::format("{} bytes", bytes) : fmt::format("{} MiB", bytes >> 20U);
}

}  // namespace

std::uint64_t limit_of(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  constexpr std::uint64_t most_of_a_device = 1U << 20U;
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  if (type == std::filesystem::file_type::directory) throw BadUsage(fmt::format("{}: is a folder", what));
  // A terminal gives what somebody types; /dev/zero has no end.
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block)
    return std::min(most_bytes, most_of_a_device);
  if (type != std::filesystem::file_type::regular) return most_bytes;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown) return most_bytes;
  if (size > most_bytes) throw BadUsage(fmt::format("{}: larger than {}", what, in_mib(most_bytes)));
  if (const auto free = available_memory_bytes(); free && size > *free)
    throw BadUsage(
        fmt::format("{}: has {}, more than the {} of memory that are free here", what, in_mib(size), in_mib(*free)));
  return most_bytes;
}

std::string whole_file(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  const auto limit = limit_of(path, what, most_bytes);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw BadUsage(errno == ENOENT ? fmt::format("{}: no such file", what)
                                   : fmt::format("{}: cannot be read: {}", what, std::strerror(errno)));
  // Read to the end: a pipe has no size, and a file may grow.
  std::string text;
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown)) {
    const auto size = std::filesystem::file_size(path, unknown);
    if (!unknown) text.reserve(std::min<std::uint64_t>(size, limit));
  }
  std::vector<char> part(1U << 16U);
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())), file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > limit) throw BadUsage(fmt::format("{}: larger than {}", what, in_mib(limit)));
  }
  if (file.bad()) throw BadUsage(fmt::format("{}: cannot be read: {}", what, std::strerror(errno)));
  return text;
}

void refuse_deep_nesting(std::string_view file, std::string_view text, int deepest) {
  int depth = 0, line = 1;
  for (const char c : text) {
    line += c == '\n' ? 1 : 0;
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > deepest)
      throw BadUsage(fmt::format("{}:{}: brackets are nested more than {} deep", file, line, deepest));
  }
}

nlohmann::json parse_json(const std::string& file, const std::string& text) {
  refuse_deep_nesting(file, text);
  auto json = nlohmann::json::parse(text, nullptr, false, true);
  if (json.is_discarded()) throw BadUsage(fmt::format("{}: not JSON, or cut off", file));
  return json;
}

}  // namespace ringmark
