#include "base/input/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <iconv.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"

namespace ringmark {

namespace {

/// "64 MiB", or "512 bytes".
std::string in_mib(std::uint64_t bytes) {
  return bytes < 1U << 20U ? fmt::format("{} bytes", bytes) : fmt::format("{} MiB", bytes >> 20U);
}

/// ":3: not JSON, column 14: 'BATCH_SIZE'", for a parser that stopped at byte `at` of the text.
std::string why_no_json(std::string_view text, std::size_t at) {
  const auto lines_before = [&](std::size_t end) {
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  };
  const auto last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return ": not JSON: the text is empty";
  if (at > last) return fmt::format(":{}: not JSON: it ends unexpectedly", lines_before(last) + 1);
  constexpr std::string_view ends = " \t\r\n,:{}[]\"";
  const auto is_end = [&](char c) { return ends.find(c) != std::string_view::npos; };
  std::size_t from = at, to = at;
  while (from > 0 && !is_end(text[from]) && !is_end(text[from - 1])) --from;
  while (to + 1 < text.size() && !is_end(text[to]) && !is_end(text[to + 1])) ++to;
  const auto line_begin = from == 0 ? std::string_view::npos : text.rfind('\n', from - 1);
  const auto column = line_begin == std::string_view::npos ? from + 1 : from - line_begin;
  constexpr std::size_t most_shown = 40;
  std::string found(text.substr(from, std::min(most_shown, to - from + 1)));
  for (char& c : found) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return fmt::format(":{}: not JSON, column {}: '{}'", lines_before(from) + 1, column, found);
}

}  // namespace

std::uint64_t limit_of(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  constexpr std::uint64_t most_of_a_device = 1U << 20U;
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  if (type == std::filesystem::file_type::directory) throw BadUsage(fmt::format("{}: is a folder", what));
  // A terminal has no size, and /dev/zero never ends.
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block)
    return std::min(most_bytes, most_of_a_device);
  if (type != std::filesystem::file_type::regular) return most_bytes;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown) return most_bytes;
  if (size > most_bytes) throw BadUsage(fmt::format("{}: larger than {}", what, in_mib(most_bytes)));
  if (const auto free = available_memory_bytes(); free && size > *free)
    throw BadUsage(fmt::format("{}: is {} long, but only {} of memory is free", what, in_mib(size), in_mib(*free)));
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

std::string whole_text(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
  auto text = whole_file(path, what, most_bytes);
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
  if (text.starts_with(utf8_mark)) text.erase(0, utf8_mark.size());
  const bool is_little = text.starts_with("\xFF\xFE"), is_big = text.starts_with("\xFE\xFF");
  if (!is_little && !is_big) return text;
  const auto converter = ::iconv_open("UTF-8", is_little ? "UTF-16LE" : "UTF-16BE");
  if (converter == reinterpret_cast<iconv_t>(-1))
    throw BadUsage(fmt::format("{}: is UTF-16 and cannot be converted here; save it as UTF-8", what));
  constexpr std::size_t mark_bytes = 2;
  char* from = text.data() + mark_bytes;
  std::size_t left = text.size() - mark_bytes;
  std::string converted(left / 2 * 3, '\0');  // at most three bytes for each two-byte code unit
  char* to = converted.data();
  std::size_t room = converted.size();
  const bool is_text = ::iconv(converter, &from, &left, &to, &room) != static_cast<std::size_t>(-1);
  ::iconv_close(converter);
  if (!is_text) throw BadUsage(fmt::format("{}: starts like UTF-16 but is not valid UTF-16; save it as UTF-8", what));
  converted.resize(converted.size() - room);
  return converted;
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
  constexpr bool allows_comments = true;
  try {
    return nlohmann::json::parse(text, nullptr, true, allows_comments);
  } catch (const nlohmann::json::parse_error& error) {
    // Its byte is the last one read.
    throw BadUsage(fmt::format("{}{}", file, why_no_json(text, std::max<std::size_t>(1, error.byte) - 1)));
  } catch (const nlohmann::json::exception&) {
    throw BadUsage(fmt::format("{}: not JSON: a number has too many digits", file));
  }
}

}  // namespace ringmark
