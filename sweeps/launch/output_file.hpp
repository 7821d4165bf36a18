// A temporary file for the output of a command.
#pragma once

#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"

namespace ringmark::sweep {

/// It has no name, so it disappears however this process ends.
class OutputFile {
 public:
  /// Throws std::system_error.
  OutputFile();

  /// The path by which this process opens it.
  const std::string& path() const { return path_; }
  /// The last 256 KiB of the output.
  std::string end() const;

 private:
  FileDescriptor file_;
  std::string path_;
};

struct ToolOutput {
  bool succeeded = false;
  std::string text;  ///< both streams, without trailing newlines
};

/// Runs a tool and waits for it, at most 20 s. A termination signal that arrives meanwhile ends the tool and is then
/// raised again.
ToolOutput ask_tool(const std::vector<std::string>& words);

}  // namespace ringmark::sweep
