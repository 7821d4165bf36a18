#include "analysis/stragglers/stragglers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "results/files/json_rows.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t most_blocks_each = 5;

/// Steps are long, so fewer of them outlast a disturbance.
std::size_t block_length(const EntryTimes& operation) { return operation.is_step ? 4 : 10; }

/// With two ranks, each waits for the other. When a short operation begins depends mostly on when the barrier releases
/// each rank.
bool can_tell(const EntryTimes& operation, const StragglerOptions& options) {
  return operation.entry_us.size() > 2 && operation.time_us >= options.least_time_us;
}

std::size_t blocks_of(const EntryTimes& operation) {
  return std::min(most_blocks_each, operation.entry_us.front().size() / block_length(operation));
}

/// How much later each rank entered than the median rank: the median over iterations [from, to).
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
  int blocks_last = 0, blocks_seen = 0;
  std::size_t fewest_ranks = std::numeric_limits<std::size_t>::max();  ///< in any operation that it took part in
  std::vector<double> costs_percent;                                   ///< of each operation
};

double mean_of(const std::vector<double>& values) { return values.empty() ? 0 : Sorted(values).mean(); }

using Tallies = std::map<std::string, RankTally>;  ///< by the rank's name

void add(Tallies& tallies, const EntryTimes& operation, std::size_t blocks) {
  const auto ranks = operation.entry_us.size();
  const auto iterations = operation.entry_us.front().size();
  const auto tally_of = [&](std::size_t rank) -> RankTally& {
    return tallies[rank < operation.hosts.size() ? fmt::format("rank {} on {}", rank, operation.hosts[rank])
                                                 : fmt::format("rank {}", rank)];
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto late = lateness(operation, block * iterations / blocks, (block + 1) * iterations / blocks);
    const auto last = std::max_element(late.begin(), late.end());
    // Where all ranks enter at the same instant, none is last.
    if (*last > 0) ++tally_of(static_cast<std::size_t>(last - late.begin())).blocks_last;
  }
  const auto late = lateness(operation, 0, iterations);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    // A difference below the clocks' error is not lateness.
    const double shown = std::abs(late[rank]) > operation.clock_error_us ? late[rank] : 0;
    auto& tally = tally_of(rank);
    tally.blocks_seen += static_cast<int>(blocks);
    tally.fewest_ranks = std::min(tally.fewest_ranks, ranks);
    tally.costs_percent.push_back(100 * shown / operation.time_us);
  }
}

/// The probability that a given one of `ranks` is last at least this often if the last one is random.
double chance_of(int blocks_last, int blocks_seen, std::size_t ranks) {
  if (blocks_last == 0) return 1;
  const boost::math::binomial distribution(blocks_seen, 1 / static_cast<double>(ranks));
  return boost::math::cdf(boost::math::complement(distribution, blocks_last - 1));
}

struct Evidence {
  Tallies operations, steps;
  double candidates = 0;  ///< ranks that could be named
};

Evidence evidence_of(const std::vector<EntryTimes>& operations, const StragglerOptions& options) {
  Evidence evidence;
  for (const auto& operation : operations) {
    if (!can_tell(operation, options)) continue;
    const auto blocks = blocks_of(operation);
    if (blocks > 0) add(operation.is_step ? evidence.steps : evidence.operations, operation, blocks);
  }
  evidence.candidates = static_cast<double>(evidence.operations.size() + evidence.steps.size());
  return evidence;
}

}  // namespace

std::vector<Straggler> late_ranks(const std::vector<EntryTimes>& operations, const StragglerOptions& options) {
  const auto evidence = evidence_of(operations, options);
  std::vector<Straggler> found;
  for (const auto* tallies : {&evidence.operations, &evidence.steps}) {
    const bool steps = tallies == &evidence.steps;
    for (const auto& [name, tally] : *tallies) {
      const double corrected =
          std::min(1.0, evidence.candidates * chance_of(tally.blocks_last, tally.blocks_seen, tally.fewest_ranks));
      const double cost = mean_of(tally.costs_percent);
      if (corrected >= options.level || cost < options.least_cost_percent) continue;
      found.push_back({Straggler::Kind::rank, name, cost, corrected,
                       fmt::format("{} in {} of {} blocks of {}; the others wait {:.1f} % of {}",
                                   steps ? "computes longest" : "last to enter", tally.blocks_last, tally.blocks_seen,
                                   steps ? "steps" : "iterations", cost, steps ? "a step" : "an operation")});
    }
  }
  return found;
}

std::string too_few_to_tell(const std::vector<EntryTimes>& operations, const StragglerOptions& options) {
  const auto evidence = evidence_of(operations, options);
  for (const auto* tallies : {&evidence.operations, &evidence.steps}) {
    for (const auto& [name, tally] : *tallies) {
      if (evidence.candidates * chance_of(tally.blocks_seen, tally.blocks_seen, tally.fewest_ranks) < options.level)
        return "";
    }
  }
  const bool has_any = std::any_of(operations.begin(), operations.end(),
                                   [&](const auto& operation) { return can_tell(operation, options); });
  if (!has_any)
    return fmt::format(
        "naming a late rank takes at least three ranks, and operations or steps of at least {:g} ms; steps also need "
        "collectives of all ranks",
        options.least_time_us / 1000);
  return fmt::format(
      "too few iterations to name a rank: give more samples or launches (at most {} blocks of {} iterations, or of {} "
      "training steps, count from each)",
      most_blocks_each, block_length({}), block_length({.is_step = true}));
}

std::string none_found(const LookedAt& looked_at) {
  if (!looked_at.links) return "no rank is significantly late";
  if (!looked_at.entries) return "no host or link is significantly slower than the others";
  return "no rank, host or link significantly holds up the others";
}

std::string blind_spot(const LookedAt& looked_at) {
  if (looked_at.links) return "";
  return "these samples cannot show a slow link, which holds up all ranks alike: run ringmark-link --pairs all --csv "
         "links.csv, and give links.csv as well";
}

std::string print(const std::vector<Straggler>& stragglers, const LookedAt& looked_at) {
  if (stragglers.empty()) return none_found(looked_at) + "\n";
  std::vector<std::vector<std::string>> lines{{"held up by", ">cost", ">p", "evidence"}};
  for (const auto& each : stragglers) {
    lines.push_back(
        {each.name, fmt::format("{:.0f} %", each.cost_percent), fmt::format("{:.1g}", each.p), each.evidence});
  }
  return print_table(std::move(lines));
}

std::string to_json(const std::vector<Straggler>& stragglers) {
  std::vector<JsonRow> rows;
  for (const auto& each : stragglers) {
    const auto* kind = each.kind == Straggler::Kind::rank   ? "rank"
                       : each.kind == Straggler::Kind::host ? "host"
                                                            : "link";
    rows.push_back({{"schema", "straggler/1"},
                    {"kind", kind},
                    {"name", each.name},
                    {"cost_percent", each.cost_percent},
                    {"p", each.p},
                    {"evidence", each.evidence}});
  }
  return json_rows(rows);
}

}  // namespace ringmark::analysis
