// A table of named options: parsing, its messages, and what --list-options prints come from the same rows.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace ringmark {

template <class Options>
struct OptionRow {
  std::string_view key;  ///< e.g. "tcp.sockets"
  std::string_view unit;
  std::string_view allowed;
  std::string_view default_value;
  std::string_view meaning;
  /// False if the value is not allowed.
  bool (*apply)(Options& options, std::string_view value);
};

template <class Options>
class OptionTable {
 public:
  explicit OptionTable(std::vector<OptionRow<Options>> rows) : rows_(std::move(rows)) {}

  const std::vector<OptionRow<Options>>& rows() const { return rows_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// Throws BadUsage with what is allowed. The key must be in the table.
  void apply(Options& options, std::string_view key, std::string_view value) const {
    const auto* row = find(key);
    if (!row->apply(options, value)) {
      throw BadUsage(fmt::format("--set {}={}: '{}' is not allowed; give {}{}{}", key, value, value, row->allowed,
                                 row->unit.empty() ? "" : " ", row->unit));
    }
  }

 private:
  const OptionRow<Options>* find(std::string_view key) const {
    for (const auto& row : rows_) {
      if (row.key == key) return &row;
    }
    return nullptr;
  }

  std::vector<OptionRow<Options>> rows_;
};

/// Reads a whole decimal number within [least, most] into `to`.
template <class Number>
bool read_number(std::string_view text, Number least, Number most, Number& to) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
    return false;  // NaN too
  }
  to = value;
  return true;
}

/// Reads a size like "64K" within [least, most].
inline bool read_size(std::string_view text, std::size_t least, std::size_t most, std::size_t& to) {
  const auto value = parse_size(text);
  if (!value || *value < least || *value > most) return false;
  to = *value;
  return true;
}

}  // namespace ringmark
