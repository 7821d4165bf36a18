// What most subcommands of ringmark-analyze begin with: files, and which of their rows say something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read_results.hpp"
#include "analysis/stragglers.hpp"

namespace CLI {
class App;
}

namespace ringmark::analysis {

/// One line on the standard error stream.
void tell(const std::string& text);

/// If rows of several files are taken together.
void tell_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows);

struct Input {
  std::vector<std::string> files;
  ReadOptions options;
  std::vector<std::string> where;

  /// The files, --where, and what files may not say.
  void add_to(CLI::App& command);

  /// What the files have and --where keeps.
  Results read() const;
  /// All rows of files. Notes are told.
  static Results read_all(const std::vector<std::string>& files, const ReadOptions& options);
  /// Drops what --where does not keep; the notes then say so.
  void keep_asked(Results& results) const;
  /// "only rows with transport=tcp"
  std::string asked() const;
  /// Of the files named, and of those that lie beside the results of the folders given; with --where, of launches that
  /// have a row in `kept`.
  std::vector<EntryTimes> samples(std::vector<std::string> named, const Table& kept) const;

  /// The rows that were measured; BadUsage if there is none.
  static std::vector<std::size_t> usable(const Table& table);
};

/// --link-GBps
void add_link_rate(CLI::App& command, std::optional<double>& link_GBps);

}  // namespace ringmark::analysis
