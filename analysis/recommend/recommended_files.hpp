// The files of a recommendation: what to set, in the formats of the tools that read it, with the evidence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/recommend/recommend.hpp"

namespace ringmark::analysis {

/// The settings and sizes of all results, before --where left out rows: the files also set what the remaining rows have
/// in common, and do not cover sizes that were left out.
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
/// best.env for a shell to source; nccl.conf where it sets variables of NCCL; nccl_tuner.csv where algorithm and
/// protocol are known for ranges of sizes; ds_config.changes.json for replayed steps. None if the default stays. Throws
/// BadUsage for a value that would break out of its line.
std::vector<ReadyFile> ready_files(const Recommendation& recommendation, const Table& configured, const Scope& scope);

}  // namespace ringmark::analysis
