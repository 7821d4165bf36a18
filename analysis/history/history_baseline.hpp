// `ringmark-analyze compare --store`: rows of a store as the baseline. Programs that are built without the store have
// no flags for it.
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

  /// Adds rows to the table: of one launch, by its run_id, or with "normal", which is the default, of the launches of
  /// each series since its last change. Throws BadUsage if there is none.
  AddedBaseline add_to(Table& table, const std::optional<std::string>& baseline) const;

 private:
  struct Options;
  std::unique_ptr<Options> options_;
};

}  // namespace ringmark::analysis
