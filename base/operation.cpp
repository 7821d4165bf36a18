#include "base/operation.hpp"

#include <algorithm>
#include <array>

namespace ringmark {
namespace {

constexpr std::array collectives{Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                 Collective::reduce,     Collective::broadcast,      Collective::all_to_all};
constexpr std::array<std::string_view, 6> names{"all_reduce", "reduce_scatter", "all_gather",
                                                "reduce",     "broadcast",      "all_to_all"};

}  // namespace

std::span<const Collective> all_collectives() { return collectives; }
std::string_view name(Collective collective) { return names[static_cast<std::size_t>(collective)]; }

std::optional<Collective> parse_collective(std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return collectives[static_cast<std::size_t>(found - names.begin())];
}

bool reduces(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::reduce_scatter ||
         collective == Collective::reduce;
}

bool is_rooted(Collective collective) {
  return collective == Collective::reduce || collective == Collective::broadcast;
}

bool is_sharded(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::all_gather;
}

bool has_block_per_rank(Collective collective) {
  return is_sharded(collective) || collective == Collective::all_to_all;
}

Layout layout_of(const Operation& operation, int ranks) {
  const std::size_t block = operation.count * size_bytes(operation.type);
  const std::size_t all = block * static_cast<std::size_t>(ranks);
  switch (operation.collective) {
    case Collective::reduce_scatter:
      return {all, block, all};
    case Collective::all_gather:
      return {block, all, all};
    case Collective::all_to_all:
      return {all, all, all};
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
      break;
  }
  return {block, block, block};
}

std::size_t vector_elements(const Operation& operation, int ranks) {
  return layout_of(operation, ranks).total_bytes / size_bytes(operation.type);
}

std::size_t in_place_offset_bytes(const Operation& operation, int rank) {
  return is_sharded(operation.collective)
             ? operation.count * size_bytes(operation.type) * static_cast<std::size_t>(rank)
             : 0;
}

double bus_factor(Collective collective, int ranks) {
  const double n = ranks;
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return (n - 1) / n;
    case Collective::reduce:
    case Collective::broadcast:
      break;
  }
  return ranks > 1 ? 1 : 0;
}

}  // namespace ringmark
