// Adds the contents of files to a store.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "history/store/launch.hpp"
#include "history/store/store.hpp"

namespace ringmark::history {

struct Added {
  std::uint64_t launches = 0, rows = 0, samples = 0, verdicts = 0;
  std::uint64_t known_rows = 0;  ///< rows that the store already had
  bool is_known_file = false;    ///< the store had a file with these bytes
  /// Other clusters in which the store already had launches of these files. These launches stay there.
  std::set<std::string> other_clusters;

  Added& operator+=(const Added& other);
};

/// One transaction: all of the file is added, or nothing. Rows that the store already has are not added again, so a
/// file may be added while it grows. `cluster` is the name of the cluster that launches new to the store ran on. Throws
/// BadUsage for samples of a launch that the store does not have, and std::runtime_error with the store's name if it
/// cannot be written.
Added add(Store& store, const Contents& contents, const std::string& cluster);
/// The same for several files in one transaction, which takes a fraction of the time. Files that the store already has
/// are skipped.
Added add(Store& store, std::span<const Contents> files, const std::string& cluster);

/// "added 12 new launches with 340 rows to history.db"
std::string in_words(const Added& added, const std::string& store);
/// Which launches stay in other clusters, and how to move them; empty if there are none.
std::string other_clusters_in_words(const Added& added);

}  // namespace ringmark::history
