#include "replay/generate/torchtitan/config_text.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/yaml_reader.hpp"

namespace ringmark::replay::torchtitan {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A value without blanks, so that it is one word.
std::string word_of(std::string_view value) {
  std::string word(value);
  std::erase_if(word, [](char each) { return each == ' ' || each == '\t' || each == '\n' || each == '\r'; });
  return word.empty() ? "\"\"" : word;
}

/// A list becomes its length, as `name.length`.
void flatten(const std::string& path, const YAML::Node& node, std::string& arguments) {
  if (node.IsMap()) {
    for (const auto& entry : node) {
      const auto& key = entry.first.Scalar();
      flatten(path.empty() ? key : path + "." + key, entry.second, arguments);
    }
  } else if (node.IsSequence()) {
    arguments += fmt::format("--{}.length {}\n", path, node.size());
  } else {
    arguments += fmt::format("--{} {}\n", path, node.IsNull() ? "null" : word_of(node.Scalar()));
  }
}

/// The part of TOML that job configurations use: sections, and keys with a value on one line.
class JobConfig {
 public:
  JobConfig(const std::string& file, const std::string& text) : file_(file), lines_(text) {}

  std::string arguments() {
    for (std::string line; std::getline(lines_, line);) {
      ++number_;
      const auto content = trimmed(without_comment(line));
      if (content.empty()) continue;
      if (content.front() == '[') {
        if (content.back() != ']' || content.size() < 3 || content[1] == '[') refuse(content);
        section_ = trimmed(content.substr(1, content.size() - 2));
        continue;
      }
      add(content);
    }
    return std::move(arguments_);
  }

 private:
  static std::string_view without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (quote != 0) {
        if (line[at] == quote) quote = 0;
      } else if (line[at] == '"' || line[at] == '\'') {
        quote = line[at];
      } else if (line[at] == '#') {
        return line.substr(0, at);
      }
    }
    return line;
  }

  void add(std::string_view content) {
    const auto equals = content.find('=');
    if (equals == std::string_view::npos) refuse(content);
    const auto key = trimmed(content.substr(0, equals)), value = trimmed(content.substr(equals + 1));
    if (key.empty() || value.empty()) refuse(content);
    const bool is_list = value.front() == '[', is_table = value.front() == '{';
    if (is_table || (is_list && value.back() != ']')) refuse(content);
    const auto name = section_.empty() ? std::string(key) : fmt::format("{}.{}", section_, key);
    if (is_list) {
      const auto items = trimmed(value.substr(1, value.size() - 2));
      arguments_ +=
          fmt::format("--{}.length {}\n", name, items.empty() ? 0 : 1 + std::count(items.begin(), items.end(), ','));
    } else {
      arguments_ += fmt::format("--{} {}\n", name, word_of(value));
    }
  }

  [[noreturn]] void refuse(std::string_view content) const {
    throw BadUsage(fmt::format("{}:{}: '{}' cannot be read; expected [section] or key = value on one line", file_,
                               number_, content));
  }

  std::string file_;
  std::istringstream lines_;
  int number_ = 0;
  std::string section_;
  std::string arguments_;
};

}  // namespace

std::string as_arguments(const std::string& file, const std::string& text) {
  const auto content = trimmed(text);
  if (content.starts_with('{')) {
    std::string arguments;
    flatten("", read_yaml(file, text), arguments);
    return arguments;
  }
  if (content.starts_with("--")) return text;
  return JobConfig(file, text).arguments();
}

}  // namespace ringmark::replay::torchtitan
