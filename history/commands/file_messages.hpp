// Messages of `add` about files, on the standard error stream.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::history {

void tell_on_errors(const std::string& text);

/// Prints each message at once, and combines the same message about further files into one line at the end. Texts may
/// begin with the file and a line: "f.txt:12: cut off".
class FileMessages {
 public:
  void note(const std::string& file, const std::string& text);
  /// Why the file is not added. All of these files are listed.
  void refuse(const std::string& file, const std::string& text);
  void tell_repeated() const;

 private:
  using ByText = std::map<std::string, std::vector<std::string>>;  ///< files

  static void tell(ByText& same_text, const std::string& file, std::string_view before, const std::string& text);

  ByText notes_, refusals_;
};

}  // namespace ringmark::history
