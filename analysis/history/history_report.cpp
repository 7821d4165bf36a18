#include "analysis/history/history_report.hpp"

#include <fmt/format.h>

#include "analysis/history/selected_series.hpp"
#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/write_file.hpp"
#include "history/input/selection_flags.hpp"
#include "history/page/history_page.hpp"

namespace ringmark::analysis {

struct HistoryReport::Options {
  std::string store;
  history::Selection selection;
};

HistoryReport::HistoryReport() : options_(std::make_unique<Options>()) {}
HistoryReport::~HistoryReport() = default;

void HistoryReport::declare(Flags& flags) {
  flags.group("History");
  flags.file("--store", options_->store, "a ringmark-history store; the page shows its series over time")
      .may_be_empty();
  history::declare_selection(flags, options_->selection);
  flags.default_is(fmt::format("{}d before the latest launch", history::days_of_a_year));
}

bool HistoryReport::is_asked() const { return !options_->store.empty(); }

void HistoryReport::write(const std::string& file, const std::string& title,
                          const std::vector<std::string>& where) const {
  history::Store store(options_->store, history::Access::read);
  const auto selection = history::over_days(store, history::in_one_cluster(store, options_->selection));
  const history::HistoryPage page{title, selected_series(history::all_series(store), where), selection};
  write_file(file, [&](const TextSink& sink) { history::write_history_page(store, page, sink); });
}

}  // namespace ringmark::analysis
