// Flags that several subcommands of ringmark-history share.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/answers/chains.hpp"
#include "history/input/selection_flags.hpp"
#include "results/files/json_rows.hpp"

namespace ringmark {
class Flags;
}

namespace ringmark::history {

/// --store
void declare_store(Flags& flags, std::string& file);

/// Which launches and series a question is about.
struct SelectionFlags {
  std::string store;
  Selection selection;
  std::vector<std::string> where;
  std::optional<int> days;

  /// `days`: how far a question looks back from the latest launch unless --since says otherwise.
  void declare(Flags& flags, std::optional<int> days = std::nullopt);

  /// The selection, with its default beginning. Throws BadUsage if the store has several clusters and none is chosen.
  Selection launches(Store& opened) const;
  /// The series that --where selects. Throws BadUsage if the store has none.
  std::vector<Series> series(Store& opened) const;
  /// These series with their launches. Throws BadUsage, listing the store's clusters and latest time, if no launch is
  /// selected.
  std::vector<Chain> chains(Store& opened) const;
  /// The same without their launches.
  std::vector<Chain> outlines(Store& opened) const;
};

/// Starts a row of JSON: the chain's cluster and name, and its values by column and option.
JsonRow identity_json(std::string_view schema, const std::string& name, const Chain& chain);

/// "1 has wrong data and 2 failed"; empty if there are none.
std::string bad_rows_in_words(std::uint64_t wrong, std::uint64_t failed);

/// Prints how many rows of the cluster's latest night have wrong data or failed, if any: they are not part of any
/// series.
void tell_of_bad_rows(Store& store, const std::string& cluster);

/// "2026-11-21 06:11"
std::string short_time(std::chrono::sys_seconds time);

}  // namespace ringmark::history
