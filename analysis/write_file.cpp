#include "analysis/write_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include "results/append_file.hpp"

namespace ringmark::analysis {

void write_file(const std::string& path, std::string_view text) {
  // A pipe or a device cannot be replaced.
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) return AppendFile(path).append(text);
  const auto temporary = path + "." + std::to_string(::getpid()) + ".part";
  try {
    AppendFile file(temporary);
    file.append(text);
    file.sync();
    std::filesystem::rename(temporary, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace ringmark::analysis
