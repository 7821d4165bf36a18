// `ringmark-analyze compare --store`: rows of a store as the baseline. Programs built without the store do not have
// these flags.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/table/added_baseline.hpp"
#include "analysis/table/table.hpp"

namespace ringmark {
class Flags;
}

namespace ringmark::analysis {

class HistoryBaseline {
 public:
  HistoryBaseline();
  ~HistoryBaseline();

  /// --store and --cluster
  void declare(Flags& flags);
  /// Throws BadUsage if only --cluster is given.
  bool is_asked() const;

  /// Adds rows to the table: those of the launch with this run_id, or, for "normal" (the default), those of the
  /// launches of each series since its last change. Throws BadUsage if there are none.
  AddedBaseline add_to(Table& table, const std::optional<std::string>& baseline) const;

 private:
  struct Options;
  std::unique_ptr<Options> options_;
};

}  // namespace ringmark::analysis
