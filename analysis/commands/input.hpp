// The common flags of most subcommands of ringmark-analyze: files, and the selection of their rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "analysis/stragglers/stragglers.hpp"

namespace ringmark {
class Flags;
}

namespace ringmark::analysis {

/// One line on the standard error stream.
void tell(const std::string& text);

/// Prints a note if rows of several files are pooled.
void tell_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows);

struct Input {
  std::vector<std::string> files;
  ReadOptions options;
  std::vector<std::string> where;

  /// Declares the files, --where, and flags for facts that files may lack.
  void declare(Flags& flags, bool files_are_required = true);

  /// The rows of the files that --where keeps.
  Results read() const;
  /// All rows of files; prints the notes.
  static Results read_all(const std::vector<std::string>& files, const ReadOptions& options);
  /// Drops rows that --where excludes, and records a note; also prints one if they include rows of failed launches.
  void keep_asked(Results& results) const;
  /// "only rows with transport=tcp"
  std::string asked() const;
  /// The samples in the named files and in the given result folders; with --where, only those of launches that have a
  /// row in `kept`.
  std::vector<EntryTimes> samples(std::vector<std::string> named, const Table& kept) const;

  /// The usable rows; throws BadUsage if there are none.
  static std::vector<std::size_t> usable(const Table& table);
};

/// --link-GBps
void declare_link_rate(Flags& flags, std::optional<double>& link_GBps);
/// --samples
void declare_samples(Flags& flags, std::vector<std::string>& files);

}  // namespace ringmark::analysis
