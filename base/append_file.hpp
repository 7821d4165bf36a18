// A file that grows by whole records: each is there completely or not at all, and what was there before stays.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// Up to the last line end: a writer that was killed may have left half a line behind it.
inline std::string_view whole_lines(std::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

class AppendFile {
 public:
  /// Opens or creates. Throws std::system_error that names the file.
  explicit AppendFile(std::string path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::string& path() const { return path_; }
  /// True also for what is no regular file, such as a pipe.
  bool is_empty() const;
  /// The first line, without its end, or its first MiB; empty for an empty file.
  std::string first_line() const;
  /// Removes what follows the last line end, the remains of a writer that was killed; then writes `header`, if there
  /// is nothing. Others that do the same wait meanwhile. Returns the bytes removed.
  std::size_t begin(std::string_view header);
  /// If it cannot be written whole (a full disk), the file is as before, and std::system_error says why. Others that
  /// append wait meanwhile.
  void append(std::string_view record);
  /// Returns once all of it is on the disk. Throws std::system_error.
  void sync();

 private:
  std::size_t drop_unfinished_line();
  void append_whole(std::string_view record);

  std::string path_;
  int fd_;
};

}  // namespace ringmark
