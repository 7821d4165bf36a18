// The variables of a launch, in a file that only this user can read: arguments of processes are seen by everybody.
#pragma once

#include <map>
#include <string>

#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// Lines for a POSIX shell, which the ranks source. The file is removed at the end of its lifetime.
class EnvironmentFile {
 public:
  /// Replaces what lies at `path`. Throws std::system_error.
  EnvironmentFile(std::string path, const std::map<std::string, Value>& environment);
  ~EnvironmentFile();
  EnvironmentFile(const EnvironmentFile&) = delete;
  EnvironmentFile& operator=(const EnvironmentFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ringmark::sweep
