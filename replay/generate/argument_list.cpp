#include "replay/generate/argument_list.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/ranges.h>

#include "base/text/spelling.hpp"

namespace ringmark::replay {
namespace {

/// The words of the text, without comments, backslashes at line ends, and quotes.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    for (std::string word; in >> word;) {
      if (word.starts_with('#')) break;
      if (word == "\\") continue;
      std::erase_if(word, [](char each) { return each == '"' || each == '\''; });
      words.push_back(std::move(word));
    }
  }
  return words;
}

}  // namespace

ArgumentList::ArgumentList(const std::string& text) {
  std::vector<std::string>* values = nullptr;
  for (const auto& word : words_of(text)) {
    if (word.starts_with("--")) {
      const auto equals = word.find('=');
      const auto name = word.substr(0, equals);
      values = &values_[name];
      values->clear();
      if (equals != std::string::npos) values->push_back(word.substr(equals + 1));
    } else if (values == nullptr) {
      problem(fmt::format("'{}': expected an argument, such as --num-layers", word));
    } else {
      values->push_back(word);
    }
  }
}

bool ArgumentList::flag(const std::string& name) {
  asked_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return false;
  if (!found->second.empty()) problem(fmt::format("{} {}: takes no value", name, fmt::join(found->second, " ")));
  values_.erase(found);
  return true;
}

std::optional<std::string> ArgumentList::word(const std::string& name) {
  asked_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  const auto values = std::move(found->second);
  values_.erase(found);
  if (values.size() != 1) {
    problem(fmt::format("{} {}: takes one value", name, fmt::join(values, " ")));
    return std::nullopt;
  }
  return values.front();
}

std::vector<std::string> ArgumentList::words(const std::string& name) {
  asked_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return {};
  auto values = std::move(found->second);
  values_.erase(found);
  if (values.empty()) problem(fmt::format("{}: takes at least one value", name));
  return values;
}

std::size_t ArgumentList::choice(const std::string& name, const std::vector<std::string_view>& words,
                                 std::size_t otherwise) {
  const auto text = word(name);
  if (!text) return otherwise;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  problem(fmt::format("{} {}: is not modelled; give one of {}", name, *text, fmt::join(words, ", ")));
  return otherwise;
}

std::vector<std::string> ArgumentList::rest() const {
  std::vector<std::string> names;
  for (const auto& [name, values] : values_) names.push_back(name);
  return names;
}

std::string ArgumentList::meant(const std::string& name) const {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  return std::string(meant_by(name, known));
}

}  // namespace ringmark::replay
