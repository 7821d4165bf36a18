#include "base/text/printable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/with_count.hpp"

namespace ringmark {
namespace {

/// The UTF-8 character at the start of a text: its code point and number of bytes; no bytes if it is invalid.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead >= 0xF5 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr char32_t least_of[]{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < least_of[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {code, bytes};
}

bool is_control(char32_t code) {
  if (code == '\n' || code == '\t') return false;
  const bool turns_text =
      (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return code < ' ' || (code >= 0x7F && code < 0xA0) || turns_text;
}

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_control(code)) {
      const auto number = static_cast<unsigned>(code);
      result += code < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  auto front = most_bytes * 2 / 3, back = text.size() - (most_bytes - front);
  while (front > 0 && is_inside_character(text[front])) --front;
  while (back < text.size() && is_inside_character(text[back])) ++back;
  return fmt::format("{}…{}", text.substr(0, front), text.substr(back));
}

std::string as_message(std::string_view text) {
  constexpr std::size_t longest_line = 800, most_bytes = 2400;
  std::string message;
  for (bool is_first = true; !text.empty(); is_first = false) {
    if (message.size() > most_bytes) {
      const auto lines = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
      return message + fmt::format("\n… and {} more", with_count(static_cast<std::size_t>(lines), "line"));
    }
    const auto end = std::min(text.find('\n'), text.size());
    if (!is_first) message += '\n';
    message += shortened(without_controls(text.substr(0, end)), longest_line);
    if (end + 1 == text.size()) message += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return message;
}

}  // namespace ringmark
