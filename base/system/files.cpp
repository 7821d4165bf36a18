#include "base/system/files.hpp"

#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"

namespace ringmark {

std::string read_file(const std::string& path) {
  const FileDescriptor file(check_sys(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "read {}", path));
  std::string content;
  char buffer[4096];
  for (;;) {
    const auto length = check_sys(::read(file.get(), buffer, sizeof buffer), "read {}", path);
    if (length == 0) return content;
    content.append(buffer, static_cast<std::size_t>(length));
  }
}

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
