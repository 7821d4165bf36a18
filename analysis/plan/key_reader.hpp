// Maps of a scenario: each key with the function that takes its value.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/input/yaml_reader.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// Collects problems, so that all are reported at once.
class KeyReader {
 public:
  using Take = std::function<void(const YAML::Node&)>;
  struct Key {
    const char* name;
    Take take;
  };

  explicit KeyReader(std::string file) : read_(std::move(file)) {}

  YamlReader& yaml() { return read_; }
  /// The key whose value is read.
  const std::string& key() const { return key_; }

  /// Reads a map. Returns the keys that it has.
  std::set<std::string> map(const YAML::Node& node, const std::string& of, const std::vector<Key>& keys,
                            const std::vector<std::string>& required);

  template <class Number>
  Take number(Number& to, std::type_identity_t<Number> least, std::type_identity_t<Number> most) {
    return [this, &to, least, most](const YAML::Node& node) { to = read_.number(key_, node, least, most); };
  }
  Take number(std::optional<double>& to, double least, double most) {
    return [this, &to, least, most](const YAML::Node& node) { to = read_.number(key_, node, least, most); };
  }
  template <class Number>
  Take number(Number& to, const Interval& limits) {
    return number(to, limits.low, limits.high);
  }
  /// A number from 0 to 1, or a percentage such as 90 %.
  Take share(double& to, const Interval& limits);
  /// A number, or `{low: , likely: , high: }`; `range` becomes low and high divided by likely.
  Take estimate(double& likely, Interval& range, const Interval& limits);
  Take text(std::string& to) {
    return [this, &to](const YAML::Node& node) { to = read_.text(key_, node); };
  }
  template <class Bool>  // or an optional one
  Take truth(Bool& to) {
    return [this, &to](const YAML::Node& node) { to = read_.truth(key_, node); };
  }
  /// A list, or one value for a list of one.
  Take each(Take take);
  /// A list of distinct values.
  Take whole_numbers(std::vector<int>& to, int least, int most);

  /// A list of distinct values, each returned by `read`.
  template <class Value, class Read>
  Take values(std::vector<Value>& to, Read read) {
    return [this, &to, read](const YAML::Node& node) {
      to.clear();
      each([&](const YAML::Node& item) {
        const auto problems = read_.problems().size();
        const Value value = read(item);
        if (read_.problems().size() > problems) return;
        if (std::find(to.begin(), to.end(), value) != to.end())
          return read_.problem(item, "{}: {} is listed twice", key_, item.Scalar());
        to.push_back(value);
      })(node);
    };
  }

 private:
  YamlReader read_;
  std::string key_;
};

}  // namespace ringmark::analysis
