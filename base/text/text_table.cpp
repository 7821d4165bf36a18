#include "base/text/text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace ringmark {
namespace {

/// Columns on a terminal: UTF-8 continuation bytes take up none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string print_table(std::vector<std::vector<std::string>> lines) {
  if (lines.empty()) return "";
  for (auto& line : lines) {
    for (auto& cell : line) cell = without_controls(cell);
  }
  std::vector<bool> right;
  for (auto& heading : lines[0]) {
    right.push_back(heading.starts_with('>'));
    if (right.back()) heading.erase(0, 1);
  }
  std::vector<std::size_t> widths(right.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width(line[c]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string pad(widths[c] - width(line[c]), ' ');
      out += "  ";
      out += right[c] ? pad + line[c] : line[c] + pad;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string short_number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  return size < 1e-3 || size >= 1e7 ? fmt::format("{:.3g}", value) : fmt::format("{:.{}f}", value, digits);
}

}  // namespace ringmark
