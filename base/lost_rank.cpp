#include "base/lost_rank.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace ringmark {
namespace {

constexpr std::string_view before_rank = "lost rank ", before_host = " on ", before_reason = ": ";

}  // namespace

std::string in_words(const LostRank& lost) {
  return fmt::format("{}{}{}{}{}{}", before_rank, lost.rank, before_host, lost.host, before_reason, lost.reason);
}

std::optional<LostRank> find_lost_rank(std::string_view text) {
  for (auto at = text.find(before_rank); at != std::string_view::npos; at = text.find(before_rank)) {
    text.remove_prefix(at + before_rank.size());
    LostRank lost;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lost.rank);
    auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc() || !rest.starts_with(before_host)) continue;
    rest.remove_prefix(before_host.size());
    rest = rest.substr(0, rest.find('\n'));
    const auto colon = std::min(rest.find(before_reason), rest.size());
    lost.host = rest.substr(0, colon);
    if (colon < rest.size()) lost.reason = rest.substr(colon + before_reason.size());
    return lost;
  }
  return std::nullopt;
}

}  // namespace ringmark
