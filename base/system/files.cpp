#include "base/system/files.hpp"

#include <array>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/check.hpp"

namespace ringmark {

FileDescriptor open_regular(const std::string& path) {
  FileDescriptor file(check_sys(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), "read {}", path));
  struct stat status {};
  check_sys(::fstat(file.get(), &status), "read the status of {}", path);
  if (S_ISDIR(status.st_mode)) throw_errno("read " + path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw_errno(fmt::format("read {}, which is not a regular file", path), EINVAL);
  return file;
}

std::string read_open_file(int fd, const std::string& path, std::uint64_t most_bytes) {
  std::string content;
  std::array<char, 1 << 16> part;
  for (;;) {
    const auto length =
        check_sys(retry_interrupted([&] { return ::read(fd, part.data(), part.size()); }), "read {}", path);
    if (length == 0) return content;
    content.append(part.data(), static_cast<std::size_t>(length));
    if (content.size() > most_bytes) throw_errno("read " + path, EFBIG);
  }
}

std::string read_file(const std::string& path) { return read_open_file(open_regular(path).get(), path); }

std::string read_if_readable(const std::string& path) {
  try {
    return read_file(path);
  } catch (const std::system_error&) {
    return "";
  }
}

std::string read_text_if_readable(const std::string& path) {
  auto text = read_if_readable(path);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace ringmark
