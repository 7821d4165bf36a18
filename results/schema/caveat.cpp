#include "results/schema/caveat.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark {
namespace {

constexpr double widest_percent = 25;

constexpr std::string_view shared_cores = "shared_cores", shared_gpu = "shared_gpu", retransmits = "retransmits",
                           wide_interval = "wide_interval", one_lab_host = "one_lab_host",
                           faster_than_link = "faster_than_link";

template <class... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;  // clang before 17 needs it

/// Keeps the worse of two caveats of the same kind.
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

std::string code_of(const Caveat& caveat) {
  return std::visit(
      Overloaded{[](const PollingOnSharedCores& each) {
                   return fmt::format("{}:{}/{}", shared_cores, each.ranks, each.cores);
                 },
                 [](const SharedGpu&) { return std::string(shared_gpu); },
                 [](const Retransmission& each) { return fmt::format("{}:{}", retransmits, each.segments); },
                 [](const WideInterval& each) { return fmt::format("{}:{:.4g}", wide_interval, each.percent); },
                 [](const OneLabHost&) { return std::string(one_lab_host); },
                 [](const FasterThanLink& each) { return fmt::format("{}:{:.4g}", faster_than_link, each.percent); }},
      caveat);
}

std::optional<Caveat> parse_caveat(std::string_view code) {
  const auto colon = std::min(code.find(':'), code.size());
  const auto kind = code.substr(0, colon), numbers = code.substr(std::min(colon + 1, code.size()));
  const bool is_lone = colon == code.size();
  constexpr double most_percent = 1e9;
  double percent = 0;
  if (kind == shared_gpu && is_lone) return SharedGpu{};
  if (kind == one_lab_host && is_lone) return OneLabHost{};
  if (kind == shared_cores) {
    constexpr int most = 1 << 24;
    const auto slash = std::min(numbers.find('/'), numbers.size());
    PollingOnSharedCores cores;
    const bool is_whole = read_number(numbers.substr(0, slash), 0, most, cores.ranks) &&
                          read_number(numbers.substr(std::min(slash + 1, numbers.size())), 0, most, cores.cores);
    return is_whole ? std::optional<Caveat>(cores) : std::nullopt;
  }
  if (kind == retransmits) {
    Retransmission sent;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return read_number<std::uint64_t>(numbers, 0, most, sent.segments) ? std::optional<Caveat>(sent) : std::nullopt;
  }
  if (!read_number(numbers, 0.0, most_percent, percent)) return std::nullopt;
  if (kind == wide_interval) return WideInterval{percent};
  if (kind == faster_than_link) return FasterThanLink{percent};
  return std::nullopt;
}

std::string in_words(const Caveat& caveat) {
  return std::visit(
      Overloaded{[](const PollingOnSharedCores& each) {
                   return fmt::format("{} ranks share {} cores and MPI busy-polls: times include scheduling delay",
                                      each.ranks, each.cores);
                 },
                 [](const SharedGpu&) { return std::string("ranks share a GPU: times do not reflect the network"); },
                 [](const Retransmission& each) {
                   return fmt::format("{} segments were retransmitted: the network drops packets", each.segments);
                 },
                 [](const WideInterval& each) {
                   return fmt::format("samples scatter: the 95 % interval of the median is ±{:.0f} %", each.percent);
                 },
                 [](const OneLabHost&) {
                   return std::string(
                       "all ranks are on one host of the lab: they use its loopback, not the lab's links");
                 },
                 [](const FasterThanLink& each) {
                   return fmt::format("{:.0f} % of the link's rate: a token bucket or buffer absorbed the bytes",
                                      each.percent);
                 }},
      caveat);
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
  // Each retransmitted segment delays one operation. The median can be affected once half of the operations are.
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
