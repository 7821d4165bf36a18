// The names of an enumeration's values, as used in text for people and files.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ringmark {

/// Names of the values 0, 1, … in order.
template <class Value, std::size_t count>
class Names {
 public:
  explicit constexpr Names(const std::array<std::string_view, count>& names) : names_(names) {}

  constexpr std::string_view of(Value value) const { return names_.at(static_cast<std::size_t>(value)); }
  constexpr std::optional<Value> find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? std::nullopt : std::optional(static_cast<Value>(found - names_.begin()));
  }

 private:
  std::array<std::string_view, count> names_;
};

/// `last` is the enumeration's last value: a missing name does not compile.
template <auto last, class... Text>
constexpr auto names_up_to(Text... names) {
  constexpr auto count = static_cast<std::size_t>(last) + 1;
  static_assert(sizeof...(Text) == count, "each value needs a name");
  return Names<decltype(last), count>(std::array<std::string_view, count>{names...});
}

}  // namespace ringmark
