// Drives the real ringmark-lab, for the tests.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace ringmark::lab {

/// $RINGMARK_LAB, or ringmark-lab in RINGMARK_BIN_DIR.
std::string lab_binary();

struct Finished {
  int status;  // as a shell tells it
  std::string output, errors;
};

/// How a test starts ringmark-lab.
struct LabStart {
  uid_t user = 0;                   // another user than the test's, if not 0
  std::vector<std::string> within;  // a command that starts the lab: its arguments and the lab's words follow
};

/// A ringmark-lab in a process group of its own, with /dev/null as its input and a mark in its environment. Its
/// processes inherit the mark. The destructor kills it.
class LabProcess {
 public:
  explicit LabProcess(const std::vector<std::string>& arguments, const LabStart& start = {});
  ~LabProcess();
  LabProcess(const LabProcess&) = delete;
  LabProcess& operator=(const LabProcess&) = delete;

  pid_t pid() const { return pid_; }

  /// Waits until a line of the output is this text. False if the output ends before.
  bool wait_for_line(const std::string& line);
  Finished wait();

  /// Processes that carry the mark.
  std::vector<pid_t> marked() const;
  /// False if some are left after ten seconds.
  bool all_gone() const;

 private:
  std::string mark_;
  pid_t pid_ = -1;
  int output_ = -1, errors_ = -1;
  std::string seen_;
};

Finished run_lab(const std::vector<std::string>& arguments, const LabStart& start = {});

}  // namespace ringmark::lab
