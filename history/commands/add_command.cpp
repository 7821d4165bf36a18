#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/error_text.hpp"
#include "base/text/with_count.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/commands/contents.hpp"
#include "history/commands/file_messages.hpp"
#include "history/store/add.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

/// Describes rows with wrong data and failed rows; empty if there are none.
std::string bad_rows_of(const Contents& contents) {
  std::size_t rows = 0, wrong = 0, failed = 0;
  for (const auto& launch : contents.launches) {
    for (const auto& row : launch.rows) {
      const auto status = row.record.status;
      ++rows;
      wrong += status == Status::wrong ? 1U : 0U;
      failed += is_failure(status) ? 1U : 0U;
    }
  }
  const auto words = bad_rows_in_words(wrong, failed);
  if (words.empty()) return "";
  return fmt::format("of {}, {}; they are stored, but left out of all answers", with_count(rows, "row"), words);
}

class AddFilesCommand final : public Command {
 public:
  explicit AddFilesCommand(Flags& program) : Command(program.subcommand("add", "add results to a store")) {
    flags
        .texts("files", files_,
               "results of Ringmark (CSV, folders of sweeps, verdict.json, samples) and output of nccl-tests, OSU, "
               "IMB, perftest and NCCL Inspector; a folder stands for all files in it")
        .required();
    declare_store(flags, store_);
    flags.group("Facts that files may lack");
    flags.text("--cluster", cluster_, "the cluster that they were measured on", "NAME");
    declare_date(flags, "--date", input_.date,
                 "when output of other tools was measured; without it, the file's modification time. With it, the same "
                 "output of different dates counts as different launches");
    flags.number("--ranks", input_.foreign.ranks, 1, 1 << 24, "number of ranks, for output that does not state it");
    flags.number("--nodes", input_.foreign.nodes, 1, 1 << 24, "number of nodes, for output that does not state it");
    flags.examples({"ringmark-history add results --store history.db --cluster a100",
                    "ringmark-history add logs/*.txt --store history.db --date 2026-11-21"},
                   "Adding a file again does not duplicate its rows. Each file is added completely or not at all.");
  }

  int run() const override {
    std::vector<std::string> unreadable;
    const auto files = files_to_add(files_, unreadable);
    for (const auto& reason : unreadable) tell_on_errors("not added: " + reason);
    if (files.empty()) return exit_usage;
    Store store(store_, Access::write);
    Adding adding;
    try {
      for (const auto& file : files) add_file(store, file, adding);
    } catch (const std::exception&) {
      tell_sum(adding);  // files added so far stay
      throw;
    }
    tell_sum(adding);
    if (adding.refused + unreadable.size() == 0) return exit_ok;
    return adding.refused == files.size() ? exit_usage : exit_failed;
  }

 private:
  struct Adding {
    FileMessages messages;
    Added all;
    std::size_t files = 0, known = 0, refused = 0;
    std::vector<std::chrono::sys_seconds> dated_by_file{};
  };

  void add_file(Store& store, const std::string& file, Adding& adding) const {
    const auto refuse = [&](const std::exception& error) {
      adding.messages.refuse(file, ringmark::text_of(error));
      ++adding.refused;
    };
    try {
      const auto contents = read_contents(file, input_);
      for (const auto& note : contents.notes) adding.messages.note(file, note);
      const auto added = add(store, contents, cluster_);
      const bool is_known = added.is_known_file || (added.rows == 0 && added.known_rows > 0);
      if (const auto words = bad_rows_of(contents); !is_known && !words.empty())
        adding.messages.note(file, fmt::format("{}: {}", file, words));
      if (!is_known && contents.is_dated_by_file) adding.dated_by_file.push_back(contents.launches.front().time);
      adding.known += is_known ? 1U : 0U;
      ++adding.files;
      adding.all += added;
    } catch (const BadUsage& error) {
      refuse(error);
    } catch (const std::system_error& error) {
      refuse(error);
    }
  }

  void tell_sum(const Adding& adding) const {
    adding.messages.tell_repeated();
    if (const auto& dates = adding.dated_by_file; !dates.empty()) {
      const auto [first, last] = std::minmax_element(dates.begin(), dates.end());
      tell_on_errors(
          fmt::format("{} of other tools dated by when {} last modified, {}{}; give --date if copying changed the "
                      "modification time",
                      with_count(dates.size(), "file"), dates.size() == 1 ? "it was" : "they were", utc_day(*first),
                      utc_day(*first) == utc_day(*last) ? "" : " to " + utc_day(*last)));
    }
    fmt::print("{}, from {}", in_words(adding.all, store_), with_count(adding.files, "file"));
    if (adding.known > 0) fmt::print("; the store already had {} of them", adding.known);
    fmt::print("\n");
    if (const auto words = other_clusters_in_words(adding.all); !words.empty()) tell_on_errors(words);
    if (adding.refused > 0)
      tell_on_errors(fmt::format("{} could not be read and {} not added", with_count(adding.refused, "file"),
                                 adding.refused == 1 ? "was" : "were"));
  }

  std::vector<std::string> files_;
  std::string store_, cluster_ = "default";
  InputOptions input_;
};

}  // namespace

std::unique_ptr<Command> add_add(Flags& program) { return std::make_unique<AddFilesCommand>(program); }

}  // namespace ringmark::history
