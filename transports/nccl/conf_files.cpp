#include "transports/nccl/conf_files.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace ringmark {

std::vector<std::filesystem::path> nccl_conf_files() {
  std::vector<std::filesystem::path> files;
  const char* named = std::getenv("NCCL_CONF_FILE");
  if (named != nullptr && *named != '\0') {
    files.emplace_back(named);
  } else if (const auto* user = ::getpwuid(::getuid()); user != nullptr && user->pw_dir != nullptr) {
    files.push_back(std::filesystem::path(user->pw_dir) / ".nccl.conf");  // NCCL does not ask HOME
  }
  files.emplace_back("/etc/nccl.conf");
  return files;
}

std::string nccl_settings_in(std::string_view text) {
  std::string settings;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#' || line.find('=') == std::string::npos) continue;
    settings += (settings.empty() ? "" : ", ") + line;
  }
  return settings;
}

std::string nccl_settings_in_files() {
  std::string all;
  for (const auto& path : nccl_conf_files()) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    const auto settings = nccl_settings_in(text.str());
    if (!settings.empty()) all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", path.string(), settings);
  }
  return all;
}

}  // namespace ringmark
