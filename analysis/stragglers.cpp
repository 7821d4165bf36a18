#include "analysis/stragglers.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

#include "analysis/groups.hpp"
#include "results/statistics.hpp"
#include "results/text_table.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t block_length = 10, most_blocks_each = 5;

/// Of each rank the median over iterations [from, to) of how much later than the median of all it entered.
std::vector<double> lateness(const EntryTimes& operation, std::size_t from, std::size_t to) {
  std::vector<std::vector<double>> late(operation.entry_us.size());
  std::vector<double> entries(operation.entry_us.size());
  for (std::size_t i = from; i < to; ++i) {
    for (std::size_t rank = 0; rank < entries.size(); ++rank) entries[rank] = operation.entry_us[rank][i];
    const double middle = median(entries);
    for (std::size_t rank = 0; rank < entries.size(); ++rank) late[rank].push_back(entries[rank] - middle);
  }
  std::vector<double> medians;
  for (auto& values : late) medians.push_back(median(std::move(values)));
  return medians;
}

struct RankTally {
  int blocks_last = 0;
  std::vector<double> costs_percent;  ///< of each operation
};

double mean_of(const std::vector<double>& values) { return values.empty() ? 0 : Sorted(values).mean(); }

}  // namespace

std::vector<Straggler> late_ranks(const std::vector<EntryTimes>& operations, const StragglerOptions& options) {
  std::map<std::string, RankTally> tallies;
  std::map<std::string, int> blocks_seen;
  std::map<std::string, std::size_t> fewest_ranks;  ///< of the operations that it took part in
  for (const auto& operation : operations) {
    const auto ranks = operation.entry_us.size();
    // Of two, either waits for the other; and what is short is begun when the barrier lets each rank go.
    if (ranks < 3 || operation.time_us < options.least_time_us) continue;
    const auto iterations = operation.entry_us.front().size();
    const auto blocks = std::min(most_blocks_each, iterations / block_length);
    if (blocks == 0) continue;
    const auto name_of = [&](std::size_t rank) {
      return rank < operation.hosts.size() ? fmt::format("rank {} on {}", rank, operation.hosts[rank])
                                           : fmt::format("rank {}", rank);
    };
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto late = lateness(operation, block * iterations / blocks, (block + 1) * iterations / blocks);
      const auto last = static_cast<std::size_t>(std::max_element(late.begin(), late.end()) - late.begin());
      ++tallies[name_of(last)].blocks_last;
      for (std::size_t rank = 0; rank < ranks; ++rank) ++blocks_seen[name_of(rank)];
    }
    const auto late = lateness(operation, 0, iterations);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      // What the clocks cannot tell apart is no lateness.
      const double shown = std::abs(late[rank]) > operation.clock_error_us ? late[rank] : 0;
      tallies[name_of(rank)].costs_percent.push_back(100 * shown / operation.time_us);
      auto& fewest = fewest_ranks.try_emplace(name_of(rank), ranks).first->second;
      fewest = std::min(fewest, ranks);
    }
  }
  std::vector<Straggler> found;
  for (const auto& [name, tally] : tallies) {
    const int seen = blocks_seen[name];
    const double chance = 1 / static_cast<double>(fewest_ranks[name]);
    const boost::math::binomial distribution(seen, chance);
    const double p =
        tally.blocks_last == 0 ? 1 : boost::math::cdf(boost::math::complement(distribution, tally.blocks_last - 1));
    const double corrected = std::min(1.0, p * static_cast<double>(tallies.size()));
    const double cost = mean_of(tally.costs_percent);
    if (corrected >= options.level || cost < options.least_cost_percent) continue;
    found.push_back(
        {Straggler::Kind::rank, name, cost, corrected,
         fmt::format("last to enter in {} of {} blocks of iterations; the others wait {:.1f} % of an operation",
                     tally.blocks_last, seen, cost)});
  }
  return found;
}

std::string print(const std::vector<Straggler>& stragglers) {
  if (stragglers.empty()) return "no rank, host or link is shown to hold up the others\n";
  std::vector<std::vector<std::string>> lines{{"held up by", ">cost", ">p", "evidence"}};
  for (const auto& each : stragglers) {
    lines.push_back(
        {each.name, fmt::format("{:.0f} %", each.cost_percent), fmt::format("{:.1g}", each.p), each.evidence});
  }
  return print_table(std::move(lines));
}

}  // namespace ringmark::analysis
