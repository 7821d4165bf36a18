// Adds what a finished run has left in its folder to a store.
#pragma once

#include <string>

#include "history/store/add.hpp"

namespace ringmark {
class Flags;
}

namespace ringmark::history {

/// For --history of programs that measure. The cluster is the one that the results are of.
struct HistoryOptions {
  std::string store;  ///< empty for none
  std::string cluster = "default";
};

/// --history and --cluster
void declare_history(Flags& flags, HistoryOptions& options);

/// Throws BadUsage if the store cannot be opened or made, so that a run finds out before it starts.
void check_store(const HistoryOptions& options);

/// Adds the results, samples and verdict in the folder of a sweep or of acceptance. Does nothing without a store.
/// Throws BadUsage if a file cannot be read, std::runtime_error if the store cannot be written.
Added record_run(const HistoryOptions& options, const std::string& folder);

/// "added 12 new launches with 340 rows to history.db"
std::string in_words(const Added& added, const std::string& store);

}  // namespace ringmark::history
