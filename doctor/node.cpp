#include "doctor/node.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace ringmark::doctor {

namespace fs = std::filesystem;

std::optional<int> Node::port_mtu(const std::string& port) const {
  const auto found = port_mtus_.find(port);
  if (found == port_mtus_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> Node::text(const fs::path& path) const {
  if (!exists(path)) return std::nullopt;
  std::ifstream file(root_ / path);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file) {
    unreadable_.push_back("/" + path.string());
    return std::nullopt;
  }
  auto result = content.str();
  while (!result.empty() && (result.back() == '\n' || result.back() == ' ')) result.pop_back();
  return result;
}

std::optional<long> Node::number(const fs::path& path) const {
  const auto content = text(path);
  if (!content) return std::nullopt;
  long value = 0;
  const auto parsed = std::from_chars(content->data(), content->data() + content->size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

std::string Node::bytes(const fs::path& path, std::size_t most) const {
  std::string content(most, '\0');
  std::ifstream file(root_ / path, std::ios::binary);
  file.read(content.data(), static_cast<std::streamsize>(most));
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

bool Node::exists(const fs::path& path) const {
  std::error_code ignored;
  return fs::exists(root_ / path, ignored);
}

std::vector<std::string> Node::entries(const fs::path& path) const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root_ / path, ignored)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path Node::real(const fs::path& path) const {
  std::error_code failed;
  const auto resolved = fs::canonical(root_ / path, failed);
  return failed ? path : fs::relative(resolved, fs::canonical(root_));
}

}  // namespace ringmark::doctor
