#include "transports/bootstrap/waiting_note.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark {

std::string in_words(const std::vector<LateRank>& late, int ranks) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> named;
  for (const auto& each : late) {
    if (named.size() == most_named) break;
    named.push_back(each.host.empty() ? fmt::format("{}", each.rank) : fmt::format("{} on {}", each.rank, each.host));
  }
  if (late.size() == 1) return "rank " + named.front();
  return fmt::format("{} of {} ranks: {}{}", late.size(), ranks, fmt::join(named, ", "),
                     late.size() > most_named ? ", …" : "");
}

WaitingNote::WaitingNote(Clock::duration pause) : pause_(pause), next_(Deadline::at(begin_ + pause)) {}

void WaitingNote::say_if_due(const std::function<std::string()>& whom) {
  if (!next_.passed()) return;
  next_ = Deadline::after(pause_);
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
  fmt::print(stderr, "ringmark: waiting for {} ({} s)\n", whom(), waited.count());
}

}  // namespace ringmark
