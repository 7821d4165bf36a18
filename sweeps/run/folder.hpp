// The results folder. A launch's rows are added completely or not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/schema/record.hpp"
#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

/// DIR/journal, results.csv, samples.jsonl, manifest.json, sweep.yaml, logs/.
class Folder {
 public:
  /// Creates the folder for a new sweep; throws BadUsage if that fails, or if the folder already contains a sweep or
  /// anything else.
  static Folder create(const std::string& path, const JournalHead& head, const std::string& sweep_text);
  /// Opens the folder to resume its sweep: removes results that are not in the journal. Throws BadUsage if there is no
  /// sweep, if its sweep.yaml was changed, or if results were lost or changed.
  static Folder open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const JournalContent& journal() const { return journal_->content(); }
  std::string sweep_text() const;
  /// Messages about damaged files that do not prevent the sweep from continuing.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The path of a launch's own file: logs/000017.log, or its table and samples while it runs.
  std::string launch_file(std::size_t launch, const std::string& ending) const;
  void remove_launch_tables(std::size_t launch) const;

  /// Appends rows and the launch's samples, makes them durable, and then records the launch in the journal. Throws
  /// std::system_error; the launch then does not count.
  void add(const std::vector<Record>& rows, const std::vector<std::string>& columns, Done done);

  void write_manifest(const nlohmann::json& manifest) const;
  /// The manifest; null if there is none. A damaged one is moved aside.
  nlohmann::json read_manifest();
  /// Replaces a file atomically: a reader sees the old or the new one.
  void replace(const std::string& name, const std::string& text) const;

 private:
  Folder(std::string path, std::unique_ptr<Journal> journal) : path_(std::move(path)), journal_(std::move(journal)) {}
  void notice_lost_samples();
  void drop_unfinished() const;

  std::string path_;
  std::unique_ptr<Journal> journal_;
  std::vector<std::string> notes_;
};

}  // namespace ringmark::sweep
