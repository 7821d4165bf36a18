#include "base/input/host_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

constexpr std::size_t most_hosts = 100'000;

class HostList {
 public:
  explicit HostList(std::string_view list) : list_(list) {}

  std::vector<std::string> expand() {
    for (std::string_view rest = list_; !rest.empty();) {
      const auto end = end_of_name(rest);
      const auto name = rest.substr(0, end);
      if (name.empty()) refuse("has an empty name");
      expand_name("", name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::move(hosts_);
  }

 private:
  /// The position of the first comma outside brackets.
  std::size_t end_of_name(std::string_view text) const {
    bool in_brackets = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[' ? in_brackets : text[i] == ']' && !in_brackets) refuse("has brackets that do not match");
      if (text[i] == '[') in_brackets = true;
      if (text[i] == ']') in_brackets = false;
      if (text[i] == ',' && !in_brackets) return i;
    }
    if (in_brackets) refuse("has an unclosed bracket");
    return text.size();
  }

  void expand_name(const std::string& before, std::string_view name) {
    const auto open = name.find('[');
    if (open == std::string_view::npos) {
      if (hosts_.size() == most_hosts) refuse(fmt::format("names more than {} hosts", most_hosts));
      hosts_.push_back(before + std::string(name));
      return;
    }
    const auto close = name.find(']', open);
    auto ranges = name.substr(open + 1, close - open - 1);
    if (ranges.empty()) refuse("has empty brackets");
    while (!ranges.empty()) {
      const auto comma = std::min(ranges.find(','), ranges.size());
      expand_range(before + std::string(name.substr(0, open)), ranges.substr(0, comma), name.substr(close + 1));
      ranges.remove_prefix(std::min(comma + 1, ranges.size()));
    }
  }

  void expand_range(const std::string& before, std::string_view range, std::string_view after) {
    const auto dash = std::min(range.find('-'), range.size());
    constexpr std::size_t most_digits = 18;
    if (dash > most_digits) refuse(fmt::format("has a number of more than {} digits", most_digits));
    const auto first = number(range.substr(0, dash));
    const auto last = dash == range.size() ? first : number(range.substr(dash + 1));
    if (last < first) refuse(fmt::format("has the descending range {}", range));
    for (auto each = first; each <= last; ++each) expand_name(fmt::format("{}{:0{}}", before, each, dash), after);
  }

  std::uint64_t number(std::string_view text) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      refuse(fmt::format("has '{}' where a number is expected", text));
    return value;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw BadUsage(fmt::format("the list of hosts {} {}", list_, why));
  }

  std::string_view list_;
  std::vector<std::string> hosts_;
};

/// A name, split around its last number.
struct NumberedName {
  std::string_view before, digits, after;

  bool is_alike(const NumberedName& other) const { return before == other.before && after == other.after; }
  /// The digits of the number that is `steps` larger, as a range starting here would write them.
  std::string later(std::size_t steps) const {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return fmt::format("{:0{}}", number + steps, digits.size());
  }
};

/// Empty for a name without a number, or one that cannot be written with brackets.
std::optional<NumberedName> numbered(std::string_view name) {
  constexpr std::string_view all_digits = "0123456789";
  constexpr std::size_t most_digits = 18;
  const auto last = name.find_last_of(all_digits);
  if (last == std::string_view::npos || name.find_first_of("[],") != std::string_view::npos) return std::nullopt;
  const auto before = name.find_last_not_of(all_digits, last);
  const auto first = before == std::string_view::npos ? 0 : before + 1;
  if (last + 1 - first > most_digits) return std::nullopt;
  return NumberedName{name.substr(0, first), name.substr(first, last + 1 - first), name.substr(last + 1)};
}

/// Several names that differ only in the number.
std::string in_brackets(const std::vector<NumberedName>& names) {
  std::string ranges;
  for (std::size_t begin = 0, next = 0; begin < names.size(); begin = next) {
    next = begin + 1;
    while (next < names.size() && names[next].digits == names[begin].later(next - begin)) ++next;
    if (!ranges.empty()) ranges += ',';
    ranges += names[begin].digits;
    if (next - begin > 1) ranges.append("-").append(names[next - 1].digits);
  }
  return fmt::format("{}[{}]{}", names.front().before, ranges, names.front().after);
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) { return HostList(list).expand(); }

std::string fold_host_list(const std::vector<std::string>& hosts) {
  std::string list;
  for (std::size_t at = 0; at < hosts.size();) {
    std::vector<NumberedName> alike;
    for (std::size_t next = at; next < hosts.size(); ++next) {
      const auto name = numbered(hosts[next]);
      if (!name || (!alike.empty() && !name->is_alike(alike.front()))) break;
      alike.push_back(*name);
    }
    if (!list.empty()) list += ',';
    list += alike.size() > 1 ? in_brackets(alike) : hosts[at];
    at += std::max<std::size_t>(alike.size(), 1);
  }
  return list;
}

bool is_same_host(std::string_view one, std::string_view other) {
  const auto is_address = [](std::string_view host) {
    return host.find(':') != std::string_view::npos || host.find_first_not_of("0123456789.") == std::string_view::npos;
  };
  const auto short_name = [](std::string_view host) { return host.substr(0, host.find('.')); };
  return one == other || (!is_address(one) && !is_address(other) && short_name(one) == short_name(other));
}

}  // namespace ringmark
