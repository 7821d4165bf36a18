// Months of results as a single-file page: what changed, small charts of all series, and the hosts week by week.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/write_file.hpp"
#include "history/answers/chains.hpp"

namespace ringmark::history {

struct HistoryPage {
  std::string title;
  std::vector<Series> series;
  Selection selection;  ///< of one cluster
};

/// The page's data as JSON; history.js reads it. Throws BadUsage if nothing is selected.
std::string history_page_data(Store& store, const HistoryPage& page);
void write_history_page(Store& store, const HistoryPage& page, const TextSink& sink);

/// Files of this folder, embedded.
extern const std::string_view history_js, history_css;

}  // namespace ringmark::history
