#include "sweeps/emit/manifest_yaml.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/text/printable.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto choice_mark = "# ";

/// The emitter writes comments at the left margin; this gives them the indentation of the line that follows.
std::string with_indented_choices(const std::string& text) {
  std::istringstream lines(text);
  std::string result, choices;
  bool is_heading = true;
  for (std::string line; std::getline(lines, line);) {
    is_heading = is_heading && line != "---";
    if (!is_heading && line.starts_with(choice_mark)) {
      choices += line + "\n";
      continue;
    }
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
    std::istringstream waiting(std::exchange(choices, ""));
    for (std::string choice; std::getline(waiting, choice);) result += indent + choice + "\n";
    result += line + "\n";
  }
  return result + choices;
}

}  // namespace

void ManifestYaml::heading(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  out_ << YAML::Comment(without_controls(text)) << YAML::Newline;
}

void ManifestYaml::begin_document(const std::string& version, const std::string& kind, const std::string& name) {
  out_ << YAML::BeginDoc << YAML::BeginMap;
  pair("apiVersion", version);
  pair("kind", kind);
  open("metadata");
  pair("name", name);
  close();
}

void ManifestYaml::quoted(const std::string& name, const std::string& value) {
  key(name);
  out_ << YAML::DoubleQuoted << value;
}

/// A literal block ends in exactly one newline and cannot represent text that begins with a space or has control
/// characters.
void ManifestYaml::lines(const std::string& value) {
  const bool is_block = value.find('\n') != std::string::npos && value.find_first_of("\t\r") == std::string::npos &&
                        value.find_first_of(" \n") != 0 && value.ends_with('\n') && !value.ends_with("\n\n");
  if (is_block) {
    out_ << YAML::Literal << value.substr(0, value.size() - 1);
  } else {
    out_ << YAML::DoubleQuoted << value;
  }
}

void ManifestYaml::literal(const std::string& name, const std::string& value) {
  key(name);
  lines(value);
}

void ManifestYaml::flow(const std::string& name, const Pairs& pairs) {
  key(name);
  entry(pairs);
}

void ManifestYaml::numbers(const std::string& name, const std::vector<int>& values) {
  key(name);
  out_ << YAML::Flow << values;
}

void ManifestYaml::words(const std::string& name, const std::vector<std::string>& all) {
  open_list(name);
  for (const auto& word : all) lines(word);
  close_list();
}

void ManifestYaml::open(const std::string& name) {
  key(name);
  open();
}

void ManifestYaml::open_list(const std::string& name) {
  key(name);
  out_ << YAML::BeginSeq;
}

void ManifestYaml::entry(const Pairs& pairs) {
  out_ << YAML::Flow << YAML::BeginMap;
  for (const auto& [name, value] : pairs) pair(name, value);
  close();
}

void ManifestYaml::choice(const std::string& line) { out_ << YAML::Newline << YAML::Comment(line); }

std::string ManifestYaml::text() const {
  if (!out_.good()) throw std::logic_error("the manifest cannot be written: " + out_.GetLastError());
  return with_indented_choices(out_.c_str());
}

}  // namespace ringmark::sweep
