// Adds the results that a finished run left in its folder to a store.
#pragma once

#include <string>

namespace ringmark {
class Flags;
}

namespace ringmark::history {

/// For --history of programs that measure. `cluster` is where the results are measured.
struct HistoryOptions {
  std::string store;  ///< empty for none
  std::string cluster = "default";
};

/// --history and --cluster
void declare_history(Flags& flags, HistoryOptions& options);

/// Throws BadUsage if the store cannot be opened or created, or if a cluster is given without a store. Call it before
/// the run starts.
void check_store(const HistoryOptions& options);

/// Adds the results, samples and verdict in the folder of a sweep or of acceptance, and prints what it added. Does
/// nothing without a store. Throws std::runtime_error, with the command that adds them later, if they cannot be added.
void record_run(const HistoryOptions& options, const std::string& folder);

}  // namespace ringmark::history
