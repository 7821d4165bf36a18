// A mix of groups that run different operations at the same time, as a YAML file describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/operation.hpp"
#include "base/transport.hpp"
#include "bench/flags/counts.hpp"
#include "bench/mix/fair_share.hpp"

namespace ringmark::mix {

struct MixGroup {
  std::string name;
  std::vector<int> ranks;       ///< ascending; empty while only a share is known
  std::optional<double> share;  ///< of all ranks; less than all are drawn among those that no group names
  bool is_congestor = false;    ///< it is load for the others
  Collective collective = Collective::all_reduce;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::size_t size_bytes = 0;
  int root = 0;
  Pattern pattern = Pattern::ring;
  std::optional<CountsChoice> counts;
  std::string counts_text;
  std::optional<Transport> transport;  ///< nothing: the command line's
  std::string algorithm = "auto";

  bool has(int rank) const;
  Operation operation() const;  ///< once its ranks are known
};

struct Mix {
  std::vector<MixGroup> groups;
  std::vector<CutLink> links;
  std::optional<double> host_bits_per_s;  ///< of each host's own link
};

/// Throws BadUsage with all problems of the file.
Mix read_mix(const std::string& path);

/// The groups of so many ranks; shares are drawn by the seed. Throws BadUsage for a group that cannot be.
std::vector<MixGroup> groups_for(const Mix& mix, int ranks, std::uint64_t seed);

/// Throws BadUsage if a rank is in two groups that run on its GPU: the order in which ranks start their operations
/// differs, and a GPU's communicators then wait for each other for ever. All transports are known.
void refuse_groups_that_share_a_gpu(const std::vector<MixGroup>& groups);

/// "1gbit", "500mbit", "64kbit" or bits per second.
std::optional<double> parse_bit_rate(std::string_view text);

}  // namespace ringmark::mix
