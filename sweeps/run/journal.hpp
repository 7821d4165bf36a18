// The finished launches of a sweep, so that after a crash or a power loss only the remaining ones are run. Lines of
// JSON are only appended, and each is on the disk before append() returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "results/schema/status.hpp"
#include "sweeps/file/overrides.hpp"
#include "sweeps/run/machines.hpp"

namespace ringmark::sweep {

/// The journal cannot be parsed; the message names the file and the line.
class JournalDamaged final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JournalHead {
  std::string run_id;
  std::string command;     ///< "run" or "tune"
  std::string sweep_path;  ///< path of the sweep file: files that it names are relative to it
  std::string sweep_sha256;
  Overrides overrides{};
  Machines machines{};  ///< of the first session; without hosts in journals of older versions
};

/// "run.7", the run_id of the seventh launch's rows, and back; empty for a row of another run.
std::string run_id_of_launch(const JournalHead& head, std::size_t launch);
std::optional<std::size_t> launch_of(const JournalHead& head, std::string_view run_id);

/// A launch whose rows are complete.
struct Done {
  std::size_t launch = 0;  ///< from 1
  std::size_t point = 0;
  int repetition = 0;
  Status status = Status::ok;  ///< of its worst row
  std::string failure;         ///< reason, worded the same for every failure of a kind; empty if it did not fail
  double seconds = 0;
  std::optional<double> score;      ///< tuning's objective
  bool is_verification = false;     ///< tuning: verifies the winner after the search
  std::uint64_t results_bytes = 0;  ///< size of results.csv with this launch's rows
  std::uint64_t samples_bytes = 0;
  /// Digests of this launch's part of the two files; empty in journals of older versions.
  std::string results_sha256{}, samples_sha256{};
};

/// A loss of samples: those of the launches before it are incomplete.
struct SamplesLoss {
  std::size_t launches = 0;      ///< done by then
  std::uint64_t kept_bytes = 0;  ///< size of samples.jsonl then
};

/// True if nothing was measured: the launch failed, reached its deadline, or was not tried.
bool has_failed(const Done& done);
/// True for a launch that was not tried because its setting had failed too often.
bool is_given_up(const Done& done);

struct JournalContent {
  std::optional<JournalHead> head;
  std::vector<Done> done;
  std::optional<SamplesLoss> loss;  ///< the last one

  std::uint64_t results_bytes() const { return done.empty() ? 0 : done.back().results_bytes; }
  std::uint64_t samples_bytes() const;
};

/// Ignores an unfinished last line, which a crash leaves. Throws JournalDamaged for anything else that Journal does not
/// write.
JournalContent parse_journal(std::string_view text, const std::string& name);

class Journal {
 public:
  /// Opens or creates the file. Throws BadUsage if another process keeps it open or it is not a regular file,
  /// JournalDamaged, or std::system_error.
  /// While another process has it open, `pause` runs before each further attempt.
  explicit Journal(const std::string& path, const std::function<void()>& pause = pause_shortly);

  const JournalContent& content() const { return content_; }
  /// Throws std::system_error if the line cannot be made durable; the file then stays as it was.
  void begin(const JournalHead& head);
  void done(const Done& done);
  void lost(const SamplesLoss& loss);

 private:
  static void pause_shortly();
  void append(const std::string& line);

  std::string path_;
  FileDescriptor file_;
  JournalContent content_;
};

/// Makes a file's content, or a folder's list of names, durable. Throws std::system_error.
void sync_to_disk(const std::string& path);

}  // namespace ringmark::sweep
