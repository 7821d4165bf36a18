#include "results/files/rank_hosts.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/host_list.hpp"

namespace ringmark {
namespace {

/// Splits a list at the commas outside brackets.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  bool in_brackets = false;
  for (std::size_t first = 0, i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && !in_brackets)) {
      parts.push_back(list.substr(first, i - first));
      first = i + 1;
    } else if (list[i] == '[' || list[i] == ']') {
      in_brackets = list[i] == '[';
    }
  }
  return parts;
}

}  // namespace

std::string rank_hosts_text(const std::vector<std::string>& hosts) {
  std::string text;
  std::vector<std::string> alike;  // consecutive hosts with the same number of ranks
  std::ptrdiff_t ranks_each = 0;
  const auto tell = [&] {
    if (alike.empty()) return;
    const auto list = fold_host_list(alike);
    for (const auto part : parts_of(list)) {
      if (!text.empty()) text += ',';
      text += part;
      if (ranks_each > 1) text += fmt::format("*{}", ranks_each);
    }
    alike.clear();
  };
  for (auto at = hosts.begin(); at != hosts.end();) {
    const auto next = std::find_if(at, hosts.end(), [&](const std::string& host) { return host != *at; });
    if (next - at != ranks_each) tell();
    ranks_each = next - at;
    alike.push_back(*at);
    at = next;
  }
  tell();
  return text;
}

std::string on_host(int rank, const std::vector<std::string>& hosts) {
  return fmt::format("rank {} on {}", rank, hosts[static_cast<std::size_t>(rank)]);
}

std::vector<std::string> parse_rank_hosts(std::string_view text) {
  constexpr std::size_t most_ranks = 1 << 24;
  std::vector<std::string> hosts;
  if (text.empty()) return hosts;
  const auto refuse = [&] { throw BadUsage(fmt::format("'{}' is not a list of the ranks' hosts", text)); };
  for (const auto part : parts_of(text)) {
    const auto star = std::min(part.find('*'), part.size());
    std::size_t ranks_each = 1;
    if (star == 0) refuse();
    if (star < part.size()) {
      const auto digits = part.substr(star + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ranks_each);
      if (error != std::errc() || end != digits.data() + digits.size() || ranks_each == 0) refuse();
    }
    for (const auto& host : expand_host_list(part.substr(0, star))) {
      if (ranks_each > most_ranks - hosts.size()) refuse();
      hosts.insert(hosts.end(), ranks_each, host);
    }
  }
  return hosts;
}

}  // namespace ringmark
