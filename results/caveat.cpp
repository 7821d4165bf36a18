#include "results/caveat.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

namespace ringmark {
namespace {

constexpr double widest_percent = 25;

constexpr std::string_view words_of_shared_gpu = "ranks share a GPU: no time of the network",
                           words_of_one_lab_host =
                               "all ranks are on one host of the lab: its loopback, not the lab's links";

template <class... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;  // clang before 17 needs it

/// Takes `before` off the front of the text.
bool take(std::string_view& text, std::string_view before) {
  if (!text.starts_with(before)) return false;
  text.remove_prefix(before.size());
  return true;
}
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// Puts the worse of two caveats of one kind in place.
void keep_worse(Caveat& kept, const Caveat& other) {
  std::visit(Overloaded{[&](const PollingOnSharedCores& each) {
                          auto& mine = std::get<PollingOnSharedCores>(kept);
                          if (each.ranks * mine.cores > mine.ranks * each.cores) mine = each;
                        },
                        [](const SharedGpu&) {},
                        [&](const Retransmission& each) {
                          auto& mine = std::get<Retransmission>(kept);
                          mine.segments = std::max(mine.segments, each.segments);
                        },
                        [&](const WideInterval& each) {
                          auto& mine = std::get<WideInterval>(kept);
                          mine.percent = std::max(mine.percent, each.percent);
                        },
                        [](const OneLabHost&) {},
                        [&](const FasterThanLink& each) {
                          auto& mine = std::get<FasterThanLink>(kept);
                          mine.percent = std::max(mine.percent, each.percent);
                        }},
             other);
}

}  // namespace

std::string in_words(const Caveat& caveat) {
  return std::visit(
      Overloaded{[](const PollingOnSharedCores& each) {
                   return fmt::format("{} ranks share {} cores, on which MPI polls: times are the scheduler's as well",
                                      each.ranks, each.cores);
                 },
                 [](const SharedGpu&) { return std::string(words_of_shared_gpu); },
                 [](const Retransmission& each) {
                   return fmt::format("{} segments were sent again: the network loses some", each.segments);
                 },
                 [](const WideInterval& each) {
                   return fmt::format("its interval is {:.0f} % wide on each side: its samples scatter", each.percent);
                 },
                 [](const OneLabHost&) { return std::string(words_of_one_lab_host); },
                 [](const FasterThanLink& each) {
                   return fmt::format("{:.0f} % of the link's rate: a bucket or buffer takes the bytes at once",
                                      each.percent);
                 }},
      caveat);
}

std::optional<Caveat> parse_caveat(std::string_view words) {
  if (words == words_of_shared_gpu) return SharedGpu{};
  if (words == words_of_one_lab_host) return OneLabHost{};
  PollingOnSharedCores cores;
  Retransmission sent_again;
  WideInterval interval;
  FasterThanLink faster;
  std::optional<Caveat> caveat;
  auto rest = words;
  if (take_number(rest, cores.ranks) && take(rest, " ranks share ") && take_number(rest, cores.cores)) caveat = cores;
  rest = words;
  if (take_number(rest, sent_again.segments) && take(rest, " segments")) caveat = sent_again;
  rest = words;
  if (take(rest, "its interval is ") && take_number(rest, interval.percent)) caveat = interval;
  rest = words;
  if (take_number(rest, faster.percent) && take(rest, " % of the link's rate")) caveat = faster;
  return caveat && in_words(*caveat) == words ? caveat : std::nullopt;
}

bool forbids_decision(const Caveat& caveat) {
  return !std::holds_alternative<Retransmission>(caveat) && !std::holds_alternative<FasterThanLink>(caveat);
}

bool forbid_decision(const std::vector<Caveat>& caveats) {
  return std::any_of(caveats.begin(), caveats.end(), [](const Caveat& each) { return forbids_decision(each); });
}

std::string in_words(const std::vector<Caveat>& caveats) {
  std::string text;
  for (const auto& each : caveats) text += (text.empty() ? "" : "; ") + in_words(each);
  return text;
}

std::vector<Caveat> caveats_of_figures(const DoubtfulFigures& figures) {
  std::vector<Caveat> caveats;
  // Each segment that is sent again delays one operation. The median can notice from half of the operations on.
  const double sent_again = figures.retransmits.value_or(0), samples = figures.samples.value_or(0);
  if (sent_again > 0 && samples > 0 && 2 * sent_again >= samples)
    caveats.emplace_back(Retransmission{static_cast<std::uint64_t>(sent_again)});
  const double median_us = figures.time_us_p50.value_or(0);
  if (median_us > 0 && figures.time_us_ci_low && figures.time_us_ci_high) {
    const double percent = 50 * (*figures.time_us_ci_high - *figures.time_us_ci_low) / median_us;
    if (percent > widest_percent) caveats.emplace_back(WideInterval{percent});
  }
  return caveats;
}

void merge(std::vector<Caveat>& caveats, const std::vector<Caveat>& more) {
  for (const auto& caveat : more) {
    const auto known = std::find_if(caveats.begin(), caveats.end(),
                                    [&](const Caveat& each) { return each.index() == caveat.index(); });
    if (known == caveats.end()) {
      caveats.push_back(caveat);
    } else {
      keep_worse(*known, caveat);
    }
  }
  std::sort(caveats.begin(), caveats.end(), [](const auto& a, const auto& b) { return a.index() < b.index(); });
}

void CaveatTally::add(const std::vector<Caveat>& of_row) {
  ++rows_;
  wide_intervals_ += std::any_of(of_row.begin(), of_row.end(),
                                 [](const Caveat& each) { return std::holds_alternative<WideInterval>(each); })
                         ? 1
                         : 0;
  merge(found_, of_row);
}

std::vector<Caveat> CaveatTally::caveats() const {
  auto caveats = found_;
  if (2 * wide_intervals_ <= rows_)
    std::erase_if(caveats, [](const Caveat& each) { return std::holds_alternative<WideInterval>(each); });
  return caveats;
}

}  // namespace ringmark
