#include "transports/nccl/conf_files.hpp"

#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "base/system/files.hpp"

namespace ringmark {

std::filesystem::path nccl_home() {
  const auto* user = ::getpwuid(::getuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

std::vector<std::filesystem::path> nccl_conf_files() {
  std::vector<std::filesystem::path> files;
  const char* named = std::getenv("NCCL_CONF_FILE");
  if (named != nullptr && *named != '\0') {
    files.emplace_back(named);
  } else if (const auto home = nccl_home(); !home.empty()) {
    files.push_back(home / ".nccl.conf");
  }
  files.emplace_back("/etc/nccl.conf");
  return files;
}

namespace {

/// A line with a setting.
struct Line {
  int number;
  std::string text;
};

std::vector<Line> settings_in(std::string_view text) {
  std::vector<Line> settings;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.front() != '#' && line.find('=') != std::string::npos) settings.push_back({number, line});
  }
  return settings;
}

}  // namespace

std::string nccl_settings_in(std::string_view text) {
  std::string all;
  for (const auto& line : settings_in(text)) all += (all.empty() ? "" : ", ") + line.text;
  return all;
}

std::map<std::string, NcclConfValue> nccl_conf_settings(std::string_view text) {
  std::map<std::string, NcclConfValue> settings;
  for (const auto& [number, line] : settings_in(text)) {
    const auto equals = line.find('=');
    settings.emplace(line.substr(0, equals), NcclConfValue{line.substr(equals + 1), number});
  }
  return settings;
}

std::vector<Problem> nccl_conf_problems(std::string_view text, const std::string& file) {
  std::vector<Problem> problems;
  for (const auto& [number, line] : settings_in(text)) {
    const auto name = line.substr(0, line.find('='));
    if (name.find_first_of(" \t\r") != std::string::npos && name.find("NCCL_") != std::string::npos)
      problems.push_back(
          {.text =
               fmt::format("'{}': NCCL would ignore it, because the blank before the = becomes part of the name", line),
           .place = Place{file, number}});
    if (line.ends_with('\r'))
      problems.push_back(
          {.text = fmt::format("'{}': the line ends with a carriage return, which NCCL treats as part of the value",
                               line.substr(0, line.size() - 1)),
           .place = Place{file, number}});
  }
  return problems;
}

std::string nccl_settings_in_files() {
  std::string all;
  for (const auto& path : nccl_conf_files()) {
    const auto settings = nccl_settings_in(read_if_readable(path));
    if (!settings.empty()) all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", path.string(), settings);
  }
  return all;
}

}  // namespace ringmark
