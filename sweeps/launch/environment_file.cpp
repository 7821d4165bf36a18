#include "sweeps/launch/environment_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/text/shell_text.hpp"

namespace ringmark::sweep {

EnvironmentFile::EnvironmentFile(std::string path, const std::map<std::string, Value>& environment)
    : path_(std::move(path)) {
  std::string lines;
  for (const auto& [name, value] : environment)
    lines += value ? fmt::format("export {}={}\n", name, shell_word(*value)) : fmt::format("unset {}\n", name);
  constexpr mode_t only_this_user = 0600;
  ::unlink(path_.c_str());  // left by a runner that was killed, perhaps with other permissions
  const FileDescriptor file(
      check_sys(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, only_this_user), "write {}", path_));
  for (std::string_view rest = lines; !rest.empty();)
    rest.remove_prefix(static_cast<std::size_t>(check_sys(
        retry_interrupted([&] { return ::write(file.get(), rest.data(), rest.size()); }), "write {}", path_)));
}

EnvironmentFile::~EnvironmentFile() { ::unlink(path_.c_str()); }

}  // namespace ringmark::sweep
