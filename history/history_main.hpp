// ringmark-history: results over months.
#pragma once

namespace ringmark::history {

/// Returns the exit status.
int history_main(int argc, const char* const* argv);

}  // namespace ringmark::history
