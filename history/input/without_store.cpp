// Replaces the store in programs that are built without SQLite, which have no flags for one.
#include "history/answers/usual_rates.hpp"
#include "history/input/record_run.hpp"

namespace ringmark::history {

void declare_history(Flags& /*flags*/, HistoryOptions& /*options*/) {}

void check_store(const HistoryOptions& /*options*/) {}

void record_run(const HistoryOptions& /*options*/, const std::string& /*folder*/) {}

std::optional<UsualRate> usual_all_reduce(const std::string& /*store*/, const std::string& /*cluster*/,
                                          const AllReduceCase& /*asked*/) {
  return std::nullopt;
}

std::optional<UsualRate> usual_link(const std::string& /*store*/, const std::string& /*cluster*/,
                                    std::size_t /*size_bytes*/, Transport /*transport*/,
                                    const std::vector<std::string>& /*hosts*/) {
  return std::nullopt;
}

}  // namespace ringmark::history
