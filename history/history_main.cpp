#include "history/history_main.hpp"

#include <stdexcept>

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "history/commands/commands.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {

int history_main(int argc, const char* const* argv) {
  Flags flags("ringmark-history", "Keeps results over months: what is normal here, what changed, and since when.",
              "ringmark " + version());
  flags.examples(
      {"ringmark-history add results --store history.db --cluster a100",
       "ringmark-history changes --store history.db --since 90d",
       "ringmark-history trend --store history.db --where collective=all_reduce size_bytes=16M"},
      "For the flags of a subcommand, run ringmark-history SUBCOMMAND --help.\n"
      "Exit status: 0 done; 1 something became slower, or a host is odd; 2 bad usage, or nothing was added;\n"
      "3 a failure at run time, or some files were not added; 5 undecided.");
  constexpr AddCommand* commands[]{add_add,   add_check,  add_backup, add_export,  add_forget, add_changes,
                                   add_trend, add_normal, add_odd,    add_against, add_metrics};
  try {
    return run_command(flags, commands, argc, argv);
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_CORRUPT) throw;
    throw std::runtime_error(fmt::format("the store is damaged ({}); use a backup instead", error.what()));
  }
}

}  // namespace ringmark::history
