// What a sweep has done, so that after a crash or a power loss exactly the rest is done. Lines of JSON, only ever
// appended, each on the disk before append() returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "results/status.hpp"

namespace ringmark::sweep {

/// The journal cannot be read as one: it names the file and the line.
class JournalDamaged final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JournalHead {
  std::string run_id;
  std::string command;     ///< "run" or "tune"
  std::string sweep_path;  ///< where the file was: what it refers to lies beside it
  std::string sweep_sha256;
};

/// A launch whose rows are complete.
struct Done {
  std::size_t launch = 0;  ///< from 1
  std::size_t point = 0;
  int repetition = 0;
  Status status = Status::ok;  ///< what its worst row says
  std::string failure;         ///< how it failed, the same for the same way; empty if it did not
  double seconds = 0;
  std::optional<double> score;      ///< tuning's objective
  bool is_verification = false;     ///< of tuning, after the search
  std::uint64_t results_bytes = 0;  ///< of results.csv, with this launch's rows
  std::uint64_t samples_bytes = 0;
};

/// True if nothing was measured: the launch failed, ended at its deadline, or was not tried.
bool has_failed(const Done& done);
/// True for a launch that was not tried, since its setting had failed too often.
bool is_given_up(const Done& done);

struct JournalContent {
  std::optional<JournalHead> head;
  std::vector<Done> done;
};

/// A last line without its end is what a crash left, and counts for nothing. Throws JournalDamaged for anything else
/// that is not what this class writes.
JournalContent parse_journal(std::string_view text, const std::string& name);

class Journal {
 public:
  /// Opens or creates; throws BadUsage if another process keeps it open, JournalDamaged, or std::system_error. While
  /// another has it open, `pause` runs before each further attempt.
  explicit Journal(const std::string& path, const std::function<void()>& pause = pause_shortly);

  const JournalContent& content() const { return content_; }
  /// Throws std::system_error if it cannot be made durable; the file is then as it was.
  void begin(const JournalHead& head);
  void done(const Done& done);

 private:
  static void pause_shortly();
  void append(const std::string& line);

  std::string path_;
  FileDescriptor file_;
  JournalContent content_;
};

/// Makes a file's content durable; also of a folder's list of names. Throws std::system_error.
void sync_to_disk(const std::string& path);

}  // namespace ringmark::sweep
