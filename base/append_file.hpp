// A file that grows by whole records: each is written completely or not at all, and earlier content stays.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// The text up to the last line end: a writer that was killed may have left an incomplete line.
inline std::string_view whole_lines(std::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

class AppendFile {
 public:
  /// Opens or creates the file. Throws std::system_error, naming the file.
  explicit AppendFile(std::string path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::string& path() const { return path_; }
  /// Also true for files that are not regular, such as a pipe.
  bool is_empty() const;
  /// The first line without its line end, at most its first MiB; empty for an empty file.
  std::string first_line() const;
  /// Removes an incomplete last line left by a killed writer, then writes `header` if the file is empty. Other
  /// processes doing the same wait meanwhile. Returns the number of bytes removed.
  std::size_t begin(std::string_view header);
  /// Appends a record. If it cannot be written completely (a full disk), the file is left as it was and
  /// std::system_error is thrown with the reason. Other appending processes wait meanwhile.
  void append(std::string_view record);
  /// Returns once the whole file is on the disk. Throws std::system_error.
  void sync();

 private:
  std::size_t drop_unfinished_line();
  void append_whole(std::string_view record);

  std::string path_;
  int fd_;
};

}  // namespace ringmark
