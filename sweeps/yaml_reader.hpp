// Reads YAML nodes into values and collects every problem, each with file, line, key and remedy.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "sweeps/sweep.hpp"
#include "transports/option.hpp"

namespace ringmark::sweep {

/// A file that a sweep file names, relative to that one.
std::string beside(const std::string& sweep_file, const std::string& name);

/// One key of a map with its value, in the file's order.
struct Entry {
  std::string key;
  YAML::Node value;
  int line;
};

class YamlReader {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  const std::vector<std::string>& problems() const { return problems_; }

  template <class... Args>
  void problem(int line, fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format("{}:{}: {}", file_, line, fmt::format(text, std::forward<Args>(args)...)));
  }

  static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

  /// Entries of a map; a problem for anything else, and for keys that come twice.
  std::vector<Entry> map(const std::string& where, const YAML::Node& node);
  /// The same, with a problem for every key that is not known.
  std::vector<Entry> map(const std::string& where, const YAML::Node& node,
                         std::initializer_list<std::string_view> known);

  /// Nothing for `unset` and for an empty value, unless quoted.
  Value value(const std::string& where, const YAML::Node& node);
  /// A value, or a list of them joined by commas as flags take lists.
  Value joined(const std::string& where, const YAML::Node& node);
  std::string text(const std::string& where, const YAML::Node& node);
  std::vector<std::string> texts(const std::string& where, const YAML::Node& node);
  std::chrono::milliseconds duration(const std::string& where, const YAML::Node& node);

  template <class Number>
  Number number(const std::string& where, const YAML::Node& node, Number least, Number most) {
    Number to = least;
    if (!node.IsScalar() || !read_number<Number>(node.Scalar(), least, most, to)) {
      problem(line_of(node), "{}: {} is not a number from {} to {}", where, shown(node), least, most);
    }
    return to;
  }

  template <class Choice>
  Choice choice(const std::string& where, const YAML::Node& node,
                std::initializer_list<std::pair<std::string_view, Choice>> allowed) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : allowed) {
      if (node.IsScalar() && node.Scalar() == name) return value;
      names.push_back(name);
    }
    problem(line_of(node), "{}: {} is unknown; give one of {}", where, shown(node), fmt::join(names, ", "));
    return allowed.begin()->second;
  }

  /// A node as messages show it.
  static std::string shown(const YAML::Node& node);

 private:
  std::string file_;
  std::vector<std::string> problems_;
};

}  // namespace ringmark::sweep
