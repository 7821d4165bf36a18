// YAML files, which JSON is a part of: messages name file, line, key and what was expected.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace ringmark::replay {

/// What may be wrong with one file. All throw BadUsage.
class YamlReader {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  template <class... Args>
  [[noreturn]] void refuse(const YAML::Node& node, fmt::format_string<Args...> text, Args&&... args) const {
    refuse_at(node, fmt::format(text, std::forward<Args>(args)...));
  }

  void require_keys(const YAML::Node& node, const std::string& what, const std::set<std::string>& known) const;
  std::string text(const YAML::Node& node, const std::string& what) const;
  std::uint64_t number(const YAML::Node& node, const std::string& what, std::uint64_t least, std::uint64_t most) const;
  bool truth(const YAML::Node& node, const std::string& what) const;

  const std::string& file() const { return file_; }

 private:
  [[noreturn]] void refuse_at(const YAML::Node& node, const std::string& text) const;

  std::string file_;
};

/// Throws BadUsage for what is no YAML, or nested too deep.
YAML::Node read_yaml(const std::string& file, const std::string& text);

}  // namespace ringmark::replay
