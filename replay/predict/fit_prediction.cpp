#include "replay/predict/fit_prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/operation.hpp"
#include "base/units.hpp"
#include "results/schema/workload.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/moved_bytes.hpp"

namespace ringmark {

namespace {

/// Costs of NCCL's own algorithms: its double binary tree (Sanders, Speck and Träff 2009: every rank passes the vector
/// up once and down once), and PAT, which has the steps and bytes of Bruck's algorithm.
std::optional<Cost> cost_of_nccls(Collective collective, const std::string& algorithm, int ranks) {
  const double n = ranks, levels = std::ceil(std::log2(n));
  if (algorithm == "tree" && collective == Collective::all_reduce) return Cost{2 * levels, 2};
  if (algorithm == "pat" && is_sharded(collective)) return Cost{levels, (n - 1) / n};
  return std::nullopt;
}

}  // namespace

bool is_point_to_point(const std::string& collective) {
  const auto test = parse_link_test(collective);
  return test && test != LinkTest::burst;
}

std::optional<Cost> cost_of(const std::string& collective, const std::string& algorithm, int ranks,
                            int ranks_per_node) {
  if (is_point_to_point(collective)) return Cost{1, 1};
  const auto known = parse_collective(collective);
  if (!known || ranks < 2) return std::nullopt;
  if (const auto cost = cost_of_nccls(*known, algorithm, ranks)) return cost;
  if (ranks_per_node < 1 || ranks % ranks_per_node != 0) ranks_per_node = 1;
  std::vector<int> nodes;
  if (ranks_per_node > 1) {
    for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  }
  const auto topology = ranks_per_node > 1 ? Topology::nodes(nodes) : Topology::flat(ranks);
  const auto schedule = make_schedule(*known, algorithm, topology);
  if (!schedule) return std::nullopt;
  return cost_of(*schedule);
}

const FitSegment& segment_for(const std::vector<FitSegment>& segments, double steps, double bytes) {
  const double message = steps > 0 ? bytes / steps : 0;
  std::size_t i = 0;
  // Between two segments, the geometric mean of the nearest measured sizes is the border.
  while (i + 1 < segments.size() &&
         message >= std::sqrt(segments[i].to_message_bytes * segments[i + 1].from_message_bytes))
    ++i;
  return segments[i];
}

double time_us_by(const std::vector<FitSegment>& segments, double steps, double bytes) {
  const auto& segment = segment_for(segments, steps, bytes);
  return steps * segment.alpha_us + bytes * segment.beta_us_per_byte;
}

std::optional<Prediction> predict(const FitModel& model, std::uint64_t size_bytes, int ranks) {
  const auto cost = cost_of(model.collective, model.algorithm, ranks, model.ranks_per_node);
  if (!cost) return std::nullopt;
  const double bytes = moved_bytes(*cost, static_cast<double>(size_bytes));
  const double bytes_us = bytes * segment_for(model.segments, cost->steps, bytes).beta_us_per_byte;
  Prediction prediction{time_us_by(model.segments, cost->steps, bytes), bytes_us};
  const auto ratio = [](std::uint64_t larger, std::uint64_t smaller) {
    return static_cast<double>(larger) / static_cast<double>(std::max<std::uint64_t>(smaller, 1));
  };
  if (size_bytes > model.to_bytes) prediction.beyond_sizes = ratio(size_bytes, model.to_bytes);
  if (size_bytes < model.from_bytes) prediction.beyond_sizes = ratio(model.from_bytes, size_bytes);
  prediction.has_other_ranks = !model.ranks.empty() && !is_point_to_point(model.collective) &&
                               std::find(model.ranks.begin(), model.ranks.end(), ranks) == model.ranks.end();
  if (prediction.beyond_sizes > 1)
    prediction.outside.push_back(fmt::format("{} (measured: {})", format_size(size_bytes), measured_sizes(model)));
  if (prediction.has_other_ranks)
    prediction.outside.push_back(fmt::format("{} ranks (measured: {})", ranks, measured_ranks(model)));
  return prediction;
}

std::string measured_sizes(const FitModel& model) {
  return fmt::format("{} to {}", format_size(model.from_bytes), format_size(model.to_bytes));
}

std::string measured_ranks(const FitModel& model) { return fmt::format("{}", fmt::join(model.ranks, ", ")); }

}  // namespace ringmark
