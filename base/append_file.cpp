#include "base/append_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmark {
namespace {

[[noreturn]] void fail(std::string_view what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), fmt::format("{} {}", what, path));
}

/// Locks the file against other processes that lock it too. Does nothing on file systems without locks.
class Lock {
 public:
  explicit Lock(int fd) : fd_(fd) {
    while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::flock(fd_, LOCK_UN); }

 private:
  int fd_;
};

off_t size_of(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail("cannot read the status of", path);
  return S_ISREG(status.st_mode) ? status.st_size : 0;
}

}  // namespace

AppendFile::AppendFile(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  // A pipe or a terminal, such as /dev/stdout, need not be readable.
  const int error = errno;
  if (fd_ < 0) fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd_ < 0) errno = error, fail("cannot write", path_);
}

AppendFile::~AppendFile() { ::close(fd_); }

std::string AppendFile::first_line() const {
  constexpr off_t longest = 1 << 20;
  const off_t size = std::min(size_of(fd_, path_), longest);
  std::string line;
  std::array<char, 4096> part;
  for (off_t at = 0; at < size;) {
    const auto bytes = ::pread(fd_, part.data(), part.size(), at);
    if (bytes <= 0) break;
    const std::string_view text(part.data(), static_cast<std::size_t>(bytes));
    const auto end = text.find('\n');
    line += text.substr(0, end);
    if (end != std::string_view::npos) return line;
    at += bytes;
  }
  return line;
}

bool AppendFile::is_empty() const { return size_of(fd_, path_) == 0; }

std::size_t AppendFile::drop_unfinished_line() {
  const off_t size = size_of(fd_, path_);
  off_t end = size;
  std::array<char, 4096> part;
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(part.size()));
    const auto bytes = ::pread(fd_, part.data(), static_cast<std::size_t>(end - begin), begin);
    if (bytes < 0) fail("cannot read", path_);
    if (bytes < end - begin) return 0;  // the file was truncated meanwhile
    const auto line_end = std::string_view(part.data(), static_cast<std::size_t>(bytes)).rfind('\n');
    if (line_end != std::string_view::npos) {
      end = begin + static_cast<off_t>(line_end) + 1;
      break;
    }
    end = begin;
  }
  if (end < size && ::ftruncate(fd_, end) != 0) fail("cannot truncate", path_);
  return static_cast<std::size_t>(size - end);
}

std::size_t AppendFile::begin(std::string_view header) {
  const Lock lock(fd_);
  const auto dropped = drop_unfinished_line();
  if (is_empty()) append_whole(header);
  return dropped;
}

void AppendFile::append(std::string_view record) {
  const Lock lock(fd_);
  append_whole(record);
}

void AppendFile::append_whole(std::string_view record) {
  const off_t before = size_of(fd_, path_);
  while (!record.empty()) {
    const auto written = ::write(fd_, record.data(), record.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      // Remove the partial record; if even that fails, the next writer drops it as an unfinished line.
      static_cast<void>(::ftruncate(fd_, before) == 0);
      errno = error;
      fail("cannot write", path_);
    }
    record.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AppendFile::sync() {
  if (::fsync(fd_) != 0) fail("cannot write to the disk", path_);
}

}  // namespace ringmark
