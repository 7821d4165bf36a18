#include "history/input/record_run.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/text/printable.hpp"
#include "base/text/shell_text.hpp"
#include "history/input/own_contents.hpp"
#include "history/store/add.hpp"

namespace ringmark::history {

void declare_history(Flags& flags, HistoryOptions& options) {
  flags.group("History");
  flags.file("--history", options.store, "when done, add the results to this store of ringmark-history").may_be_empty();
  flags.text("--cluster", options.cluster, "the name of the cluster in the store", "NAME");
}

void check_store(const HistoryOptions& options) {
  if (!options.store.empty()) {
    Store(options.store, Access::write);
  } else if (options.cluster != HistoryOptions().cluster) {
    throw BadUsage(Problem{.flag = "--cluster",
                           .value = options.cluster,
                           .text = "needs --history, which names the store",
                           .remedy = "give --history FILE, or leave --cluster out"});
  }
}

void record_run(const HistoryOptions& options, const std::string& folder) try {
  if (options.store.empty()) return;
  Added all;
  Store store(options.store, Access::write);
  for (const auto& file : files_of_run(folder)) {
    const auto contents = read_own_contents(file);
    if (!contents) continue;
    for (const auto& note : contents->notes) fmt::print(stderr, "{}\n", as_message(note));
    all += add(store, *contents, options.cluster);
  }
  fmt::print("{}\n", in_words(all, options.store));
  if (const auto words = other_clusters_in_words(all); !words.empty()) fmt::print(stderr, "{}\n", as_message(words));
} catch (const std::exception& error) {
  throw std::runtime_error(
      fmt::format("{}; the results are kept; to add them, run: ringmark-history add {} --store {} --cluster {}",
                  error.what(), shell_word(folder), shell_word(options.store), shell_word(options.cluster)));
}

}  // namespace ringmark::history
