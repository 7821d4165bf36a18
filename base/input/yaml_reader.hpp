// YAML as people write it, including JSON, which is a subset. Problems name the file, line, key and expected value.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/flags/option.hpp"

namespace ringmark {

/// A key of a map with its value, in file order.
struct YamlEntry {
  std::string key;
  YAML::Node value;
  int line;
};

class YamlReader {
 public:
  /// Problems are collected so that all are reported at once, or the first is thrown as BadUsage.
  enum class Policy { keeps, throws };

  explicit YamlReader(std::string file, Policy policy = Policy::keeps) : file_(std::move(file)), policy_(policy) {}

  const std::string& file() const { return file_; }
  const std::vector<Problem>& problems() const { return problems_; }

  template <class... Args>
  void problem(int line, fmt::format_string<Args...> text, Args&&... args) {
    take_problem({.text = fmt::format(text, std::forward<Args>(args)...), .place = Place{file_, line}});
  }
  template <class... Args>
  void problem(const YAML::Node& node, fmt::format_string<Args...> text, Args&&... args) {
    problem(line_of(node), "{}", fmt::format(text, std::forward<Args>(args)...));
  }
  /// A problem with a key, named by its path in the file: "arguments.iters".
  template <class... Args>
  void key_problem(const std::string& key, int line, fmt::format_string<Args...> text, Args&&... args) {
    take_problem({.flag = key, .text = fmt::format(text, std::forward<Args>(args)...), .place = Place{file_, line}});
  }
  template <class... Args>
  void key_problem(const std::string& key, const YAML::Node& node, fmt::format_string<Args...> text, Args&&... args) {
    key_problem(key, line_of(node), "{}", fmt::format(text, std::forward<Args>(args)...));
  }
  /// Adds the line number to a problem.
  void add(Problem problem, int line) {
    problem.place = Place{file_, line};
    take_problem(std::move(problem));
  }
  /// Throws immediately, without collecting other problems.
  template <class... Args>
  [[noreturn]] void refuse(const YAML::Node& node, fmt::format_string<Args...> text, Args&&... args) const {
    throw BadUsage(
        Problem{.text = fmt::format(text, std::forward<Args>(args)...), .place = Place{file_, line_of(node)}});
  }

  /// 1 for an undefined node.
  static int line_of(const YAML::Node& node) { return node.IsDefined() ? std::max(node.Mark().line, 0) + 1 : 1; }

  /// Entries of a map; a problem for anything else, and for duplicate keys.
  std::vector<YamlEntry> map(const std::string& where, const YAML::Node& node);
  /// The same, with a problem for every unknown key.
  std::vector<YamlEntry> map(const std::string& where, const YAML::Node& node, const std::vector<std::string>& known);

  std::string text(const std::string& where, const YAML::Node& node);
  std::vector<std::string> texts(const std::string& where, const YAML::Node& node);
  std::chrono::milliseconds duration(const std::string& where, const YAML::Node& node);
  bool truth(const std::string& where, const YAML::Node& node);

  template <class Number>
  Number number(const std::string& where, const YAML::Node& node, Number least, Number most) {
    Number to = least;
    if (!is_scalar(node) || !read_number<Number>(node.Scalar(), least, most, to)) {
      key_problem(where, node, "{} is not a {}number from {} to {}", shown(node), std::integral<Number> ? "whole " : "",
                  least, most);
    }
    return to;
  }

  template <class Choice>
  Choice choice(const std::string& where, const YAML::Node& node,
                std::initializer_list<std::pair<std::string_view, Choice>> allowed) {
    return choice(where, node, std::span<const std::pair<std::string_view, Choice>>(allowed));
  }
  template <class Choice>
  Choice choice(const std::string& where, const YAML::Node& node,
                std::span<const std::pair<std::string_view, Choice>> allowed) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : allowed) {
      if (is_scalar(node) && node.Scalar() == name) return value;
      names.push_back(name);
    }
    key_problem(where, node, "{} is unknown; give one of {}", shown(node), fmt::join(names, ", "));
    return allowed.front().second;
  }

  /// A node as shown in messages.
  static std::string shown(const YAML::Node& node);

 private:
  static bool is_scalar(const YAML::Node& node) { return node.IsDefined() && node.IsScalar(); }
  void take_problem(Problem problem);

  std::string file_;
  Policy policy_;
  std::vector<Problem> problems_;
};

/// A text as it was probably meant.
struct RepairedYaml {
  std::string text;
  std::vector<Problem> problems;  ///< syntax problems of the original, in line order; empty if it is valid YAML
  bool is_sure = true;            ///< nothing was dropped, so any other problem of the text is also one of the original
};
RepairedYaml repair_yaml(const std::string& file, const std::string& text);

/// Repairs the text and passes it to `interpret`, unless the repair dropped something, since further problems could
/// then be caused by the repair. Returns the syntax problems, those of `read`, and those of a BadUsage, in line order.
/// Never throws on bad text.
std::vector<Problem> read_mended(YamlReader& read, const std::string& text,
                                 const std::function<void(const YAML::Node&)>& interpret);

/// Throws BadUsage, with all syntax problems, for text that is not YAML, is nested too deeply, or is too long for the
/// parser.
YAML::Node read_yaml(const std::string& file, const std::string& text);

}  // namespace ringmark
