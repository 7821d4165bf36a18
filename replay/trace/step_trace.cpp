#include "replay/trace/step_trace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/names.hpp"

namespace ringmark::replay {
namespace {

constexpr auto phases = names_up_to<Phase::step>("fwd", "recomp", "bwd", "step");
constexpr auto overlaps = names_up_to<Overlap::ideal>("none", "depth1", "ideal");
constexpr auto gradients_names = names_up_to<Gradients::reduce_scatter>("as_shipped", "reduce_scatter");

}  // namespace

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::compute:
      return "comp";
    case EventKind::collective:
      return "coll";
    case EventKind::copy:
      return "copy";
    case EventKind::send:
      return "send";
    case EventKind::receive:
      return "recv";
    case EventKind::wait:
      return "wait";
    case EventKind::host_sync:
      return "hostsync";
  }
  return {};
}

std::string_view name(Phase phase) { return phases.of(phase); }
std::optional<Phase> parse_phase(std::string_view text) { return phases.find(text); }

std::string_view name(Overlap overlap) { return overlaps.of(overlap); }
std::optional<Overlap> parse_overlap(std::string_view text) { return overlaps.find(text); }

std::string_view name(Gradients gradients) { return gradients_names.of(gradients); }
std::optional<Gradients> parse_gradients(std::string_view text) { return gradients_names.find(text); }

int Group::size(int ranks) const {
  switch (kind) {
    case Kind::world:
      return ranks;
    case Kind::block:
      return std::min(width, ranks);
    case Kind::stride:
      return std::max(1, ranks / width);
    case Kind::list:
      return static_cast<int>(list.size());
  }
  return ranks;
}

int Group::first_member(int rank) const {
  switch (kind) {
    case Kind::world:
      return 0;
    case Kind::block:
      return rank / width * width;
    case Kind::stride:
      return rank % width;
    case Kind::list:
      return list.front();
  }
  return 0;
}

std::vector<int> Group::members(int rank, int ranks) const {
  if (kind == Kind::list) return list;
  std::vector<int> result;
  const int first = first_member(rank), distance = kind == Kind::stride ? width : 1;
  for (int i = 0; i < size(ranks); ++i) result.push_back(first + i * distance);
  return result;
}

bool computes(const Event& event) { return event.kind == EventKind::compute || event.kind == EventKind::copy; }
bool is_message(const Event& event) { return event.kind == EventKind::send || event.kind == EventKind::receive; }
bool is_call(const Event& event) { return event.kind == EventKind::collective || is_message(event); }

std::string_view call_name(const Event& event) {
  return event.kind == EventKind::collective ? name(event.collective) : name(event.kind);
}

double total_bytes(const std::vector<MemoryPart>& memory) {
  double sum = 0;
  for (const auto& part : memory) sum += part.bytes;
  return sum;
}

void check_groups(const StepTrace& trace, int ranks) {
  for (const auto& group : trace.groups) {
    if (group.kind != Group::Kind::world && ranks % group.width != 0)
      throw BadUsage(fmt::format("the step's group {} has a width of {}, which does not divide {} ranks", group.name,
                                 group.width, ranks));
  }
}

Operation operation_of(const Event& event, int group_ranks) {
  const auto ranks = static_cast<std::uint64_t>(group_ranks);
  if (is_message(event))
    return {.collective = Collective::broadcast,
            .type = event.type,
            .count = static_cast<std::size_t>(event.elements),
            .root = event.root};
  // With another number of ranks, parts are equal.
  if (!event.counts.empty() && event.counts_ranks == group_ranks) {
    std::vector<std::size_t> all;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const auto first = event.counts.size() == ranks ? 0 : rank * ranks;
      const auto row = event.counts.begin() + static_cast<std::ptrdiff_t>(first);
      all.insert(all.end(), row, row + static_cast<std::ptrdiff_t>(ranks));
    }
    return with_counts(event.collective, event.type, event.op, BlockCounts::of_pairs(group_ranks, all));
  }
  const auto count = has_block_per_rank(event.collective) ? (event.elements + ranks - 1) / ranks : event.elements;
  return {
      event.collective, event.type, event.op, static_cast<std::size_t>(count), std::min(event.root, group_ranks - 1),
      event.pattern};
}

double wire_bytes(const Event& event, int group_ranks) {
  if (event.kind == EventKind::receive) return 0;
  if (event.kind == EventKind::send) return static_cast<double>(event.elements * size_bytes(event.type));
  const auto operation = operation_of(event, group_ranks);
  return static_cast<double>(total_bytes(operation, group_ranks)) * bus_factor(operation, group_ranks);
}

}  // namespace ringmark::replay
