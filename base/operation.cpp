#include "base/operation.hpp"

#include <algorithm>
#include <array>

#include "base/text/names.hpp"

namespace ringmark {
namespace {

constexpr std::array collectives{Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                 Collective::reduce,     Collective::broadcast,      Collective::all_to_all,
                                 Collective::gather,     Collective::scatter,        Collective::send_recv};
constexpr auto collective_names =
    names_up_to<Collective::send_recv>("all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast",
                                       "all_to_all", "gather", "scatter", "send_recv");

constexpr std::array patterns{Pattern::ring, Pattern::pairs, Pattern::neighbours};
constexpr auto pattern_names = names_up_to<Pattern::neighbours>("ring", "pairs", "neighbours");

}  // namespace

std::span<const Collective> all_collectives() { return collectives; }
std::string_view name(Collective collective) { return collective_names.of(collective); }
std::optional<Collective> parse_collective(std::string_view text) { return collective_names.find(text); }

bool reduces(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::reduce_scatter ||
         collective == Collective::reduce;
}

bool is_rooted(Collective collective) {
  return collective == Collective::reduce || collective == Collective::broadcast || collective == Collective::gather ||
         collective == Collective::scatter;
}

bool is_sharded(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::all_gather ||
         collective == Collective::gather || collective == Collective::scatter;
}

bool has_block_per_rank(Collective collective) {
  return is_sharded(collective) || collective == Collective::all_to_all;
}

bool has_counts(Collective collective) {
  return collective == Collective::all_to_all || collective == Collective::all_gather ||
         collective == Collective::reduce_scatter;
}

const char* why_not_in_place(Collective collective) {
  if (collective == Collective::all_to_all)
    return "all_to_all cannot run in place: blocks would be overwritten before they are sent";
  if (collective == Collective::send_recv)
    return "send_recv cannot run in place: the vector would be overwritten before it is sent";
  return nullptr;
}

std::span<const Pattern> all_patterns() { return patterns; }
std::string_view name(Pattern pattern) { return pattern_names.of(pattern); }
std::optional<Pattern> parse_pattern(std::string_view text) { return pattern_names.find(text); }

int parts_of(Pattern pattern) { return pattern == Pattern::neighbours ? 2 : 1; }

int destination_of(Pattern pattern, int part, int rank, int ranks) {
  if (pattern == Pattern::pairs) return (rank ^ 1) < ranks ? rank ^ 1 : rank;
  return (part == 0 ? rank + 1 : rank + ranks - 1) % ranks;
}

int source_of(Pattern pattern, int part, int rank, int ranks) {
  return pattern == Pattern::pairs ? destination_of(pattern, part, rank, ranks)
                                   : (part == 0 ? rank + ranks - 1 : rank + 1) % ranks;
}

Operation with_counts(Collective collective, DataType type, ReduceOp op, std::shared_ptr<const BlockCounts> counts) {
  const auto ranks = static_cast<std::size_t>(counts->ranks());
  const std::size_t count = counts->total() / (counts->is_of_pairs() ? ranks * ranks : ranks);
  return {.collective = collective, .type = type, .op = op, .count = count, .counts = std::move(counts)};
}

Layout layout_of(const Operation& operation, int ranks, int rank) {
  const std::size_t element = size_bytes(operation.type), all = total_bytes(operation, ranks);
  const auto* counts = operation.counts.get();
  const std::size_t block = (counts == nullptr || counts->is_of_pairs() ? operation.count : counts->block(rank).length);
  switch (operation.collective) {
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {all, block * element};
    case Collective::all_gather:
    case Collective::gather:
      return {block * element, all};
    case Collective::all_to_all:
      if (counts != nullptr) return {counts->sent_by(rank) * element, counts->received_by(rank) * element};
      break;
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::send_recv:
      break;
  }
  return {all, all};
}

std::size_t vector_elements(const Operation& operation, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  if (operation.counts) return operation.counts->total() / (operation.counts->is_of_pairs() ? n : 1);
  return operation.count * (has_block_per_rank(operation.collective) ? n : 1);
}

std::size_t total_bytes(const Operation& operation, int ranks) {
  return vector_elements(operation, ranks) * size_bytes(operation.type);
}

std::size_t largest_buffer_bytes(const Operation& operation, int ranks) {
  if (!operation.counts || !operation.counts->is_of_pairs()) return total_bytes(operation, ranks);
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank)
    most = std::max({most, operation.counts->sent_by(rank), operation.counts->received_by(rank)});
  return most * size_bytes(operation.type);
}

Extent sent_block(const Operation& operation, int rank, int peer) {
  const auto* counts = operation.counts.get();
  if (counts == nullptr) return {static_cast<std::size_t>(peer) * operation.count, operation.count};
  return counts->is_of_pairs() ? counts->sent(rank, peer) : counts->block(peer);
}

Extent received_block(const Operation& operation, int rank, int peer) {
  const auto* counts = operation.counts.get();
  return counts != nullptr && counts->is_of_pairs() ? counts->received(rank, peer) : sent_block(operation, rank, peer);
}

bool sends_all_blocks(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::scatter;
}

std::size_t in_place_offset_bytes(const Operation& operation, int rank) {
  return is_sharded(operation.collective) ? sent_block(operation, rank, rank).offset * size_bytes(operation.type) : 0;
}

double bus_factor(Collective collective, int ranks) {
  const double n = ranks;
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
    case Collective::gather:
    case Collective::scatter:
      return (n - 1) / n;
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::send_recv:
      break;
  }
  return ranks > 1 ? 1 : 0;
}

double bus_factor(const Operation& operation, int ranks) {
  if (!operation.counts) return bus_factor(operation.collective, ranks);
  const auto elements = vector_elements(operation, ranks);
  return elements == 0 ? 0 : static_cast<double>(operation.counts->bound()) / static_cast<double>(elements);
}

}  // namespace ringmark
