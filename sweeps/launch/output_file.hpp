// A temporary file for the output of a command.
#pragma once

#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"

namespace ringmark::sweep {

/// It has no name, so nothing is left of it, however this process ends.
class OutputFile {
 public:
  /// Throws std::system_error.
  OutputFile();

  /// The path by which this process opens it.
  const std::string& path() const { return path_; }
  /// Its last 256 KiB.
  std::string end() const;

 private:
  FileDescriptor file_;
  std::string path_;
};

struct ToolOutput {
  bool succeeded = false;
  std::string text;  ///< both streams, without trailing newlines
};

/// Runs a tool that answers at once. Signals to end go to this process as before.
ToolOutput ask_tool(const std::vector<std::string>& words);

}  // namespace ringmark::sweep
