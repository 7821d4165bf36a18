// The groups of a mix: the operation of each, and the ranks that run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/operation.hpp"
#include "base/transport.hpp"
#include "bench/flags/counts.hpp"

namespace ringmark::mix {

struct MixGroup {
  std::string name;
  std::vector<int> ranks;       ///< ascending; empty while only a share is known
  std::optional<double> share;  ///< of all ranks; a share below 1 is drawn from ranks that no group names
  bool is_congestor = false;    ///< it only creates load
  Collective collective = Collective::all_reduce;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::size_t size_bytes = 0;
  int root = 0;
  Pattern pattern = Pattern::ring;
  std::optional<CountsChoice> counts;
  std::string counts_text;
  std::optional<Transport> transport;  ///< empty: the command line's
  std::string algorithm = "auto";

  bool has(int rank) const;
  Operation operation() const;  ///< needs its ranks to be known
};

/// Assigns ranks to each group, out of `ranks` in total; shares are drawn using the seed. Throws BadUsage for an
/// impossible group.
std::vector<MixGroup> with_ranks(std::vector<MixGroup> groups, int ranks, std::uint64_t seed);

/// Throws BadUsage if a rank is in two groups that run on its GPU: ranks start their operations in different orders,
/// and a GPU's communicators then wait for each other forever. All transports must be known.
void refuse_groups_that_share_a_gpu(const std::vector<MixGroup>& groups);

}  // namespace ringmark::mix
