// What `add` tells about files, on the standard error stream.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ringmark::history {

void tell_on_errors(const std::string& text);

/// Tells each message at once, and the same message about other files in one line at the end.
class FileMessages {
 public:
  /// `text` may begin with the file and a line: "f.txt:12: cut off".
  void tell(const std::string& file, const std::string& before, const std::string& text);
  void tell_repeated() const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> same_;  ///< files by message
};

}  // namespace ringmark::history
