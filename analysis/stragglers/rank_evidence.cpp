#include "analysis/stragglers/rank_evidence.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {
namespace {

/// The number of ranks, as a real number, that has this bus factor.
double ranks_of_factor(Collective collective, double factor) {
  const double most = collective == Collective::all_reduce ? 2 : 1;
  return factor < most ? most / (most - factor) : std::numeric_limits<double>::infinity();
}

constexpr double tolerance = 1e-6, most_ranks = 1 << 24;

}  // namespace

void RankEvidence::state(int ranks, const std::string& source) {
  const auto known = std::any_of(stated_.begin(), stated_.end(),
                                 [&](const Stated& each) { return each.ranks == ranks && each.source == source; });
  if (!known) stated_.push_back({ranks, source});
}

void RankEvidence::bound(Collective collective, std::string_view algbw, std::string_view busbw) {
  const bool tells_ranks = bus_factor(collective, 2) != bus_factor(collective, 3);
  if (!tells_ranks) return;
  const auto a = number_in<double>(algbw), b = number_in<double>(busbw);
  const auto of_a = rounding_of(algbw), of_b = rounding_of(busbw);
  if (!a || !b || !of_a || !of_b || *a <= *of_a) return;
  const double low = std::max(0.0, (*b - *of_b) / (*a + *of_a)), high = (*b + *of_b) / (*a - *of_a);
  const double from = ranks_of_factor(collective, low), to = ranks_of_factor(collective, high);
  least_ = std::max(least_, std::ceil(from * (1 - tolerance)));
  most_ = std::min(most_, std::floor(to * (1 + tolerance)));
}

void RankEvidence::see_rank(int rank) { last_rank_ = std::max(last_rank_, rank); }

bool RankEvidence::fits_any() const { return least_ <= most_ && !std::isinf(least_); }

std::optional<int> RankEvidence::stated() const {
  const auto is_other = [&](const Stated& each) { return each.ranks != stated_.front().ranks; };
  if (stated_.empty() || std::any_of(stated_.begin(), stated_.end(), is_other)) return std::nullopt;
  return stated_.front().ranks;
}

std::string RankEvidence::bounds_in_words() const {
  if (!fits_any()) return "busbw / algbw fits no number of ranks";
  if (least_ == most_) return fmt::format("busbw / algbw implies {:.0f}", least_);
  return std::isinf(most_) ? fmt::format("busbw / algbw implies {:.0f} or more", least_)
                           : fmt::format("busbw / algbw implies {:.0f} to {:.0f}", least_, most_);
}

RankEvidence::Count RankEvidence::settle(const std::optional<int>& asked) const {
  Count count;
  std::vector<std::string> said;
  for (const auto& each : stated_) said.push_back(fmt::format("{} reports {}", each.source, each.ranks));
  const bool has_bounds = least_ > 1 || !std::isinf(most_);
  if (has_bounds) said.push_back(bounds_in_words());
  const bool list_contradicts = last_rank_ >= most_;
  if (list_contradicts && stated_.empty()) said.push_back(fmt::format("it lists rank {}", last_rank_));
  const auto reported = stated();
  if (reported && may_be(*reported)) {
    count.ranks = reported;
    if (asked && *asked != *reported)
      count.note = fmt::format("--ranks {} is ignored: {}", *asked, fmt::join(said, ", "));
    return count;
  }
  if (asked && may_be(*asked)) {
    count.ranks = asked;
    if (!stated_.empty())
      count.note = fmt::format("{} ranks are assumed, as given by --ranks, although {}", *asked, fmt::join(said, ", "));
    return count;
  }
  if (!fits_any() || !stated_.empty() || asked || list_contradicts) {
    if (asked) said.push_back(fmt::format("--ranks is {}", *asked));
    count.refusal =
        fmt::format("the number of ranks is contradictory: {}; {}", fmt::join(said, ", "),
                    asked || !fits_any() ? "check whether it contains lines of another launch" : "give --ranks N");
    return count;
  }
  if (has_bounds && least_ == most_ && most_ <= most_ranks) {
    count.ranks = static_cast<int>(least_);
    count.note = fmt::format("{} ranks are assumed, from busbw / algbw", *count.ranks);
    return count;
  }
  count.refusal = fmt::format("it does not list its ranks{}; give --ranks N",
                              has_bounds ? fmt::format(" ({})", bounds_in_words()) : "");
  return count;
}

}  // namespace ringmark::analysis
