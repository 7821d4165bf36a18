// Shows a running sweep's progress: a changing line on a terminal, a line per launch elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/system/deadline.hpp"
#include "results/schema/record.hpp"
#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

class Progress {
 public:
  /// `total` is the number of launches, if known; `done` are the launches of earlier runners.
  Progress(std::optional<std::size_t> total, const std::vector<Done>& done);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void started(const std::string& setting, int repetition);
  void finished(const Done& done, const std::vector<Record>& rows);
  /// Prints a separate line.
  void note(const std::string& text);

 private:
  void count_time(double seconds);
  std::string time_left() const;
  std::string counted() const;
  void show_line(const std::string& text);

  std::optional<std::size_t> total_;
  std::size_t done_, failed_;
  std::size_t timed_ = 0;
  double seconds_ = 0;  ///< of the launches timed so far
  Clock::time_point started_{};
  bool is_terminal_;
  std::string setting_;
  std::string last_;
};

/// Prints on standard error, without control characters. Ignores failures, such as a closed terminal or a full disk.
void tell(const std::string& text);

/// "2 h 05 min", "3 min 20 s", "12 s".
std::string format_seconds(double seconds);

}  // namespace ringmark::sweep
