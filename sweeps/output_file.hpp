// A temporary file for the output of a command.
#pragma once

#include <string>
#include <vector>

namespace ringmark::sweep {

/// It is removed at the end of its lifetime.
class OutputFile {
 public:
  /// Throws std::system_error.
  OutputFile();
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Its last 256 KiB.
  std::string end() const;

 private:
  std::string path_;
};

struct ToolOutput {
  bool succeeded = false;
  std::string text;  ///< both streams, without the last line ends
};

/// Runs a tool that answers at once. Signals to end go to this process as before.
ToolOutput ask_tool(const std::vector<std::string>& words);

}  // namespace ringmark::sweep
