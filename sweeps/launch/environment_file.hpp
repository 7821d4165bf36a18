// The variables of a launch, in a file that only this user can read, since everybody can see process arguments.
#pragma once

#include <map>
#include <string>

#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// Lines for a POSIX shell, which the ranks source. The destructor removes the file.
class EnvironmentFile {
 public:
  /// Replaces any file at `path`. Throws std::system_error.
  EnvironmentFile(std::string path, const std::map<std::string, Value>& environment);
  ~EnvironmentFile();
  EnvironmentFile(const EnvironmentFile&) = delete;
  EnvironmentFile& operator=(const EnvironmentFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ringmark::sweep
