#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/error_text.hpp"
#include "base/text/printable.hpp"
#include "base/text/with_count.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/commands/contents.hpp"
#include "history/store/add.hpp"

namespace ringmark::history {
namespace {

/// On the standard error stream.
void tell(const std::string& text) { fmt::print(stderr, "ringmark-history: {}\n", as_message(text)); }

/// Tells each message about a file at once, and the same about other files in one line at the end.
class FileMessages {
 public:
  void tell(const std::string& file, const std::string& before, const std::string& text) {
    auto& same = same_[{before, std::string(without_place(file, text))}];
    if (same.empty()) history::tell(before + text);
    if (same.empty() || same.back() != file) same.push_back(file);
  }

  void tell_repeated() const {
    for (const auto& [message, files] : same_) {
      if (files.size() == 1) continue;
      const auto& [before, text] = message;
      const auto more = files.size() == 2 ? "" : fmt::format("{} more files, the last ", files.size() - 1);
      history::tell(fmt::format("{}{}{}: {}", before, more, files.back(), text));
    }
  }

 private:
  /// "f:12: text" and "f: text" become "text".
  static std::string_view without_place(std::string_view file, std::string_view text) {
    if (!text.starts_with(file)) return text;
    const auto end = text.find_first_not_of(":0123456789 ", file.size());
    return text.substr(std::min(end, text.size()));
  }

  std::map<std::pair<std::string, std::string>, std::vector<std::string>> same_;  ///< files by message
};

/// Empty if there are none.
std::string bad_rows_in_words(const Contents& contents) {
  std::size_t rows = 0, wrong = 0, failed = 0;
  for (const auto& launch : contents.launches) {
    for (const auto& row : launch.rows) {
      const auto status = row.record.status;
      ++rows;
      wrong += status == Status::wrong ? 1U : 0U;
      failed += status == Status::failed || status == Status::timeout ? 1U : 0U;
    }
  }
  if (wrong + failed == 0) return "";
  const auto words = failed == 0  ? fmt::format("{} have wrong data", wrong)
                     : wrong == 0 ? fmt::format("{} failed", failed)
                                  : fmt::format("{} have wrong data and {} failed", wrong, failed);
  return fmt::format("of {}, {}; they are kept, but no question counts them", with_count(rows, "row"), words);
}

class AddFilesCommand final : public Command {
 public:
  explicit AddFilesCommand(Flags& program) : Command(program.subcommand("add", "add results to a store")) {
    flags
        .texts("files", files_,
               "results of Ringmark (CSV, folders of sweeps, verdict.json, samples) and output of nccl-tests, OSU, IMB "
               "and perftest; a folder stands for all files in it")
        .required();
    declare_store(flags, store_);
    flags.group("Facts that files may lack");
    flags.text("--cluster", cluster_, "the cluster that they were measured on", "NAME");
    declare_date(
        flags, "--date", input_.date,
        "when output of other tools was measured; without it, when the file was last changed. A date that is given "
        "tells launches with the same digits apart");
    flags.number("--ranks", input_.foreign.ranks, 1, 1 << 24, "ranks, for output that does not say it");
    flags.number("--nodes", input_.foreign.nodes, 1, 1 << 24, "nodes, for output that does not say it");
    flags.examples({"ringmark-history add results --store history.db --cluster a100",
                    "ringmark-history add logs/*.txt --store history.db --date 2026-11-21"},
                   "Adding a file again does not duplicate its rows. Each file is added completely or not at all.");
  }

  int run() const override {
    std::vector<std::string> unreadable;
    const auto files = files_to_add(files_, unreadable);
    for (const auto& reason : unreadable) tell("not added: " + reason);
    if (files.empty()) return exit_usage;
    Store store(store_, Access::write);
    FileMessages messages;
    Added all;
    std::size_t refused = 0, known = 0;
    for (const auto& file : files) {
      try {
        const auto contents = read_contents(file, input_);
        for (const auto& note : contents.notes) messages.tell(file, "", note);
        const auto added = add(store, contents, cluster_);
        if (const auto words = bad_rows_in_words(contents); added.rows > 0 && !words.empty())
          messages.tell(file, "", fmt::format("{}: {}", file, words));
        known += added.is_known_file || (added.rows == 0 && added.known_rows > 0) ? 1U : 0U;
        all += added;
      } catch (const BadUsage& error) {
        messages.tell(file, "not added: ", ringmark::text_of(error));
        ++refused;
      } catch (const std::system_error& error) {
        messages.tell(file, "not added: ", ringmark::text_of(error));
        ++refused;
      }
    }
    messages.tell_repeated();
    fmt::print("{}, from {}", in_words(all, store_), with_count(files.size() - refused, "file"));
    if (known > 0) fmt::print("; the store had {} of them already", known);
    fmt::print("\n");
    if (const auto words = other_clusters_in_words(all); !words.empty()) tell(words);
    if (refused > 0)
      tell(fmt::format("{} could not be read and {} not added", with_count(refused, "file"),
                       refused == 1 ? "was" : "were"));
    if (refused + unreadable.size() == 0) return exit_ok;
    return refused == files.size() ? exit_usage : exit_failed;
  }

 private:
  std::vector<std::string> files_;
  std::string store_, cluster_ = "default";
  InputOptions input_;
};

}  // namespace

std::unique_ptr<Command> add_add(Flags& program) { return std::make_unique<AddFilesCommand>(program); }

}  // namespace ringmark::history
