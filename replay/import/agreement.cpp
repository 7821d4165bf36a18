#include "replay/import/agreement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::replay {

std::string describe(const Call& call) {
  auto text = fmt::format("{} of {} {}", name(call.collective), call.elements, name(call.type));
  if (reduces(call.collective)) text += fmt::format(" {}", name(call.op));
  if (is_rooted(call.collective)) text += fmt::format(" with root {}", call.root);
  return text;
}

void require_same(const std::string& first_file, const Imported& first, const std::string& file,
                  const Imported& other) {
  const auto both = std::min(first.calls.size(), other.calls.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (!is_same_but_for_parts(first.calls[i], other.calls[i]))
      throw BadUsage(fmt::format("call {} differs: {} has {}, {} has {}; are these recordings of the same step?", i,
                                 first_file, describe(first.calls[i]), file, describe(other.calls[i])));
  }
  if (first.calls.size() != other.calls.size())
    throw BadUsage(fmt::format("{} has {} calls, {} has {}; are these recordings of the same step?", first_file,
                               first.calls.size(), file, other.calls.size()));
}

void require_another_rank(const std::string& first_file, const Imported& first, const std::string& file,
                          const Imported& other) {
  if (first.world && other.world && *first.world != *other.world)
    throw BadUsage(fmt::format("{} is from a run of {} ranks, {} from one of {}; give recordings of the same run",
                               first_file, *first.world, file, *other.world));
  if (first.rank && other.rank && *first.rank == *other.rank)
    throw BadUsage(
        fmt::format("{} and {} are both recordings of rank {}; give one for each rank", first_file, file, *first.rank));
}

void require_groups_within_world(const std::string& file, const Imported& imported) {
  if (!imported.world) return;
  if (imported.rank && *imported.rank >= *imported.world)
    throw BadUsage(fmt::format("{}: is a recording of rank {}, but states that there are only {} ranks", file,
                               *imported.rank, *imported.world));
  for (const auto& group : imported.communicators) {
    const auto last = std::max_element(group.members.begin(), group.members.end());
    if (group.ranks > *imported.world)
      throw BadUsage(fmt::format("{}: has a group of {} ranks, but states that there are only {}", file, group.ranks,
                                 *imported.world));
    if (last != group.members.end() && *last >= *imported.world)
      throw BadUsage(fmt::format("{}: has rank {} in a group, but states that there are only {} ranks", file, *last,
                                 *imported.world));
  }
}

}  // namespace ringmark::replay
