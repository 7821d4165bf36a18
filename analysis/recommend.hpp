// Ready files from results: what to set, with the evidence beside it, or that the default should stay.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare.hpp"

namespace ringmark::analysis {

struct Recommendation {
  std::string configuration;          ///< what to set, "NCCL_ALGO=Tree"; empty may be a setting too
  std::optional<std::size_t> row;     ///< one of it; nothing: keep the default
  std::string baseline;               ///< in words, what it was compared with
  std::vector<std::string> evidence;  ///< a line per comparison it rests on
  std::string finding;                ///< in a sentence
  /// Where the best depends on the size, and no single setting serves: a configuration for each range.
  std::vector<BestRange> by_size;
};

/// A configuration is recommended if it was measured wherever the baseline was, is shown faster somewhere, slower
/// nowhere, and has the lowest ratio on the whole (geometric mean over what was measured); of those less than two
/// percent behind it, and nowhere shown to be further behind, the one that changes the fewest settings. `configured`
/// has the column of add_configurations.
Recommendation recommend(const Table& configured, const std::vector<std::size_t>& rows,
                         const std::optional<std::string>& baseline);

/// What was chosen and measured in all results, before conditions left rows out: what these rows have in common is set
/// too, and nothing is said of sizes that they leave out.
struct Scope {
  struct Sizes {
    std::uint64_t least_bytes = 0, most_bytes = 0;
  };
  std::vector<std::string> choices;    ///< columns
  std::map<std::string, Sizes> sizes;  ///< by collective
};
Scope scope_of(const Table& table);

struct ReadyFile {
  std::string name, text;
};
/// best.env to be sourced; nccl.conf where NCCL's variables are part of it; nccl_tuner.csv where algorithm and protocol
/// are known for the ranges of sizes. None if the default stays.
std::vector<ReadyFile> ready_files(const Recommendation& recommendation, const Table& configured, const Scope& scope);

}  // namespace ringmark::analysis
