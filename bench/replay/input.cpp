#include "bench/replay/input.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "transports/errors.hpp"

namespace ringmark::replay {

std::string whole_file(const std::string& path, const std::string& what) {
  constexpr std::uintmax_t most_bytes = 512U << 20U;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw BadUsage(fmt::format("{}: there is no such file", what));
  if (std::filesystem::file_size(path, error) > most_bytes)
    throw BadUsage(fmt::format("{}: larger than {} MiB", what, most_bytes >> 20U));
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw BadUsage(fmt::format("{}: cannot be read", what));
  return text.str();
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
  if (json.is_discarded()) throw BadUsage(fmt::format("{}: is no JSON, or is cut off", file));
  return json;
}

}  // namespace ringmark::replay
