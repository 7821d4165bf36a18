#include "base/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {

std::string whole_file(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw BadUsage(fmt::format("{}: is a folder", what));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw BadUsage(errno == ENOENT ? fmt::format("{}: no such file", what)
                                   : fmt::format("{}: cannot be read: {}", what, std::strerror(errno)));
  // Read to the end: a pipe has no size, and a file may grow.
  std::string text;
  if (std::filesystem::is_regular_file(path, unknown))
    text.reserve(std::min<std::uint64_t>(std::filesystem::file_size(path, unknown), most_bytes));
  std::vector<char> part(1U << 16U);
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())), file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes) throw BadUsage(fmt::format("{}: larger than {} MiB", what, most_bytes >> 20U));
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
