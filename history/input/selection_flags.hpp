// Flags that select launches of a store.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "history/store/query.hpp"

namespace ringmark {
class Flags;
}

namespace ringmark::history {

/// A flag that takes a date, a time as in results, or an age such as 30d.
void declare_date(Flags& flags, const std::string& names, std::optional<std::chrono::sys_seconds>& to,
                  const std::string& meaning);

/// --cluster, --host, --since and --until
void declare_selection(Flags& flags, Selection& selection);

/// The selection with a cluster: the only one of the store if none is chosen. Throws BadUsage if it has several.
Selection in_one_cluster(Store& store, Selection selection);

/// Throws BadUsage, because no launch is selected, with the clusters that the store has.
[[noreturn]] void refuse_empty_selection(Store& store, const Selection& selection);

/// "a100 (12 launches), h100 (3 launches)"
std::string clusters_in_words(Store& store);

}  // namespace ringmark::history
