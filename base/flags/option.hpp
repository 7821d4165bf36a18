// A table of named options: parsing, its messages and the output of --list-options come from the same rows. An
// option's default is the member's initializer in the options struct.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/units.hpp"

namespace ringmark {

template <class To>
struct PlainOf {
  using type = To;
};
template <class Value>
struct PlainOf<std::optional<Value>> {
  using type = Value;
};
/// The value type, without std::optional if there is one.
template <class To>
using Plain = typename PlainOf<To>::type;

/// Parses a whole decimal number within [least, most] into `to`.
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

/// Parses a size like "64K" within [least, most].
inline bool read_size(std::string_view text, std::size_t least, std::size_t most, std::size_t& to) {
  const auto value = parse_size(text);
  if (!value || *value < least || *value > most) return false;
  to = *value;
  return true;
}

template <class Options>
struct OptionRow {
  std::string_view key;  ///< e.g. "tcp.sockets"
  std::string_view unit;
  std::string allowed;
  std::string_view meaning;
  /// Returns false if the value is not allowed.
  std::function<bool(Options& options, std::string_view value)> apply;
  /// The value in the form that apply() parses; empty if unset, in which case `meaning` says how the value is chosen.
  std::function<std::string(const Options& options)> show;
  bool for_every_transport = false;
};

/// Marks an option that always has an effect: ranks coordinate over TCP whatever is measured.
template <class Options>
OptionRow<Options> for_every_transport(OptionRow<Options> row) {
  row.for_every_transport = true;
  return row;
}

template <class Options, class To>
OptionRow<Options> number_option(std::string_view key, std::string_view unit, To Options::*to, Plain<To> least,
                                 Plain<To> most, std::string_view meaning) {
  return {key,
          unit,
          fmt::format("{} to {}", least, most),
          meaning,
          [to, least, most](Options& options, std::string_view text) {
            Plain<To> value{};
            if (!read_number(text, least, most, value)) return false;
            options.*to = value;
            return true;
          },
          [to](const Options& options) {
            const std::optional<Plain<To>> value = options.*to;
            return value ? fmt::format("{}", *value) : "";
          }};
}

template <class Options, class To>
OptionRow<Options> duration_option(std::string_view key, std::string_view unit, To Options::*to, int least, int most,
                                   std::string_view meaning) {
  return {key,
          unit,
          fmt::format("{} to {}", least, most),
          meaning,
          [to, least, most](Options& options, std::string_view text) {
            int count = 0;
            if (!read_number(text, least, most, count)) return false;
            options.*to = Plain<To>(count);
            return true;
          },
          [to](const Options& options) {
            const std::optional<Plain<To>> value = options.*to;
            return value ? fmt::format("{}", value->count()) : "";
          }};
}

/// `zero`: the meaning of 0, if it is allowed in addition to the range: "to measure it".
template <class Options>
OptionRow<Options> size_option(std::string_view key, std::size_t Options::*to, std::size_t least, std::size_t most,
                               std::string_view meaning, std::string_view zero = "") {
  const auto range = fmt::format("{} to {}", format_size(least), format_size(most));
  return {key,
          "bytes",
          zero.empty() ? range : fmt::format("{}, or 0 {}", range, zero),
          meaning,
          [to, least, most, zero](Options& options, std::string_view text) {
            if (zero.empty() || text != "0") return read_size(text, least, most, options.*to);
            options.*to = 0;
            return true;
          },
          [to](const Options& options) { return format_size(options.*to); }};
}

template <class Options>
OptionRow<Options> text_option(std::string_view key, std::string_view allowed, std::string Options::*to,
                               std::string_view meaning) {
  return {key,
          "",
          std::string(allowed),
          meaning,
          [to](Options& options, std::string_view text) { return !(options.*to = text).empty(); },
          [to](const Options& options) { return options.*to; }};
}

/// One of a set of words, each with its value.
template <class Options, class To>
OptionRow<Options> choice_option(std::string_view key, To Options::*to,
                                 std::vector<std::pair<std::string_view, To>> all, std::string_view meaning) {
  std::string allowed;
  for (std::size_t i = 0; i < all.size(); ++i)
    allowed += fmt::format("{}{}", i == 0 ? "" : i + 1 == all.size() ? " or " : ", ", all[i].first);
  return {key,
          "",
          std::move(allowed),
          meaning,
          [to, all](Options& options, std::string_view text) {
            const auto found =
                std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == text; });
            if (found == all.end()) return false;
            options.*to = found->second;
            return true;
          },
          [to, all](const Options& options) {
            const auto found =
                std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.second == options.*to; });
            return found == all.end() ? std::string() : std::string(found->first);
          }};
}

template <class Options>
OptionRow<Options> word_option(std::string_view key, std::string Options::*to,
                               const std::vector<std::string_view>& words, std::string_view meaning) {
  std::vector<std::pair<std::string_view, std::string>> all;
  for (const auto& word : words) all.emplace_back(word, word);
  return choice_option(key, to, std::move(all), meaning);
}

template <class Options>
OptionRow<Options> switch_option(std::string_view key, bool Options::*to, std::string_view meaning) {
  return choice_option<Options, bool>(key, to, {{"0", false}, {"1", true}}, meaning);
}

template <class Options>
class OptionTable {
 public:
  explicit OptionTable(std::vector<OptionRow<Options>> rows) : rows_(std::move(rows)) {}

  const std::vector<OptionRow<Options>>& rows() const { return rows_; }
  Options defaults() const { return {}; }
  std::string default_of(const OptionRow<Options>& row) const { return row.show(defaults()); }
  /// Null if no option has this key.
  const OptionRow<Options>* find(std::string_view key) const {
    for (const auto& row : rows_) {
      if (row.key == key) return &row;
    }
    return nullptr;
  }

  /// Throws BadUsage with the allowed values. The key must be in the table.
  void apply(Options& options, std::string_view key, std::string_view value) const {
    const auto* row = find(key);
    if (row->apply(options, value)) return;
    throw BadUsage(Problem{.flag = "--set",
                           .value = fmt::format("{}={}", key, value),
                           .text = fmt::format("'{}' is not allowed; give {}{}{}", value, row->allowed,
                                               row->unit.empty() ? "" : " ", row->unit)});
  }

 private:
  std::vector<OptionRow<Options>> rows_;
};

}  // namespace ringmark
