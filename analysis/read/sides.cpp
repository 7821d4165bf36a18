#include "analysis/read/sides.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <glob.h>

#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    std::error_code unknown;
    if (!is_hidden && entry->is_regular_file(unknown)) files.push_back(entry->path().string());
  }
  if (error) throw BadUsage(fmt::format("{}: cannot be read: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> files_like(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  std::error_code unknown;
  std::erase_if(files, [&](const std::string& file) { return !fs::is_regular_file(file, unknown); });
  return files;
}

Side side_of(const std::string& path) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) {
    const auto results = (fs::path(path) / "results.csv").string();
    if (fs::exists(results, unknown)) {
      // Reading from a pipe might never end.
      if (!fs::is_regular_file(results, unknown)) throw BadUsage(fmt::format("{}: is not a regular file", results));
      return {"", {results}, false, true};
    }
    auto files = files_in(path);
    if (files.empty()) throw BadUsage(fmt::format("{}: the folder has neither a results.csv nor any other file", path));
    return {path, std::move(files), true, false};
  }
  if (!fs::exists(path, unknown) && path.find_first_of("*?[") != std::string::npos) {
    auto files = files_like(path);
    if (files.empty()) throw BadUsage(fmt::format("{}: no file matches this pattern", path));
    return {path, std::move(files), false, false};
  }
  return {"", {path}, false, false};
}

}  // namespace

std::vector<Side> sides_of(const std::vector<std::string>& paths) {
  std::vector<Side> sides;
  std::map<std::string, std::size_t> of_folder;  // plain files
  const auto is_file = [](const Side& side) { return side.name.empty() && !side.is_sweep; };
  const auto folder_of = [](const Side& side) { return fs::path(side.files.front()).parent_path().string(); };
  for (const auto& path : paths) {
    sides.push_back(side_of(path));
    if (is_file(sides.back())) ++of_folder[folder_of(sides.back())];
  }
  const bool has_several =
      std::any_of(of_folder.begin(), of_folder.end(), [](const auto& each) { return each.second > 1; });
  if (of_folder.size() < 2 || !has_several) return sides;
  for (auto& side : sides) {
    if (!is_file(side)) continue;
    const auto folder = folder_of(side);
    side.name = folder.empty() ? "." : folder;
  }
  return sides;
}

}  // namespace ringmark::analysis
