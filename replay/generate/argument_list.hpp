// The arguments of a command line with their values. Reading an argument takes it from the list.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark::replay {

class ArgumentList {
 public:
  /// "--name value --flag --other=value"; quotes are left out, and comments begin with #. Other words become problems.
  explicit ArgumentList(const std::string& text);

  bool has(const std::string& name) const { return values_.contains(name); }
  /// Takes the flag. True if it was given.
  bool flag(const std::string& name);
  /// Takes the argument, whatever its values.
  void take(const std::string& name) {
    asked_.insert(name);
    values_.erase(name);
  }
  std::optional<std::string> word(const std::string& name);
  /// Takes the argument, and returns all its values; empty if it is missing. No value is a problem.
  std::vector<std::string> words(const std::string& name);
  template <class Number>
  void number(const std::string& name, Number& to, Number least, Number most) {
    const auto text = word(name);
    if (text && !read_number(*text, least, most, to))
      problem(fmt::format("{} {}: give a number from {} to {}", name, *text, least, most));
  }
  template <class Number>
  void number(const std::string& name, std::optional<Number>& to, Number least, Number most) {
    auto value = least;
    asked_.insert(name);
    if (!has(name)) return;
    number(name, value, least, most);
    to = value;
  }
  /// Takes the argument, and returns its value's index in `words`; `otherwise` if it is missing. Another value is a
  /// problem.
  std::size_t choice(const std::string& name, const std::vector<std::string_view>& words, std::size_t otherwise);

  void problem(std::string text) { problems_.push_back(std::move(text)); }
  const std::vector<std::string>& problems() const { return problems_; }
  /// The arguments that were not taken, in alphabetical order.
  std::vector<std::string> rest() const;
  /// The argument that a misspelled one was probably meant to be, among those that were asked for; empty if none is
  /// close.
  std::string meant(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::set<std::string> asked_;
  std::vector<std::string> problems_;
};

}  // namespace ringmark::replay
