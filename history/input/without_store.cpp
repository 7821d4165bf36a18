// In place of record_run.cpp in programs that are built without SQLite: they have no flags for a store.
#include "history/input/record_run.hpp"

namespace ringmark::history {

void declare_history(Flags& /*flags*/, HistoryOptions& /*options*/) {}

void check_store(const HistoryOptions& /*options*/) {}

void record_run(const HistoryOptions& /*options*/, const std::string& /*folder*/) {}

}  // namespace ringmark::history
