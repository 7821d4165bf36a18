// Writes YAML for people to read and edit: Kubernetes' manifests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

namespace ringmark::sweep {

class ManifestYaml {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  /// A line at the beginning of the file.
  void heading(std::string text);
  /// `apiVersion`, `kind` and the name of a document whose map stays open until end_document().
  void begin_document(const std::string& version, const std::string& kind, const std::string& name);
  void end_document() { close(); }

  void key(const std::string& name) { out_ << YAML::Key << name << YAML::Value; }
  template <class Value>
  void pair(const std::string& name, const Value& value) {
    key(name);
    out_ << value;
  }
  void quoted(const std::string& name, const std::string& value);
  /// Several lines, verbatim.
  void literal(const std::string& name, const std::string& value);
  /// On one line.
  void flow(const std::string& name, const Pairs& pairs);
  void numbers(const std::string& name, const std::vector<int>& values);
  void words(const std::string& name, const std::vector<std::string>& all);
  /// A map below a key, or an entry of a list.
  void open(const std::string& name);
  void open() { out_ << YAML::BeginMap; }
  void close() { out_ << YAML::EndMap; }
  void open_list(const std::string& name);
  void close_list() { out_ << YAML::EndSeq; }
  void entry(const Pairs& pairs);
  /// A commented-out line that people can enable. Another entry must follow it in the same map.
  void choice(const std::string& line);

  /// Throws std::logic_error if what was written is not YAML.
  std::string text() const;

 private:
  void lines(const std::string& value);

  YAML::Emitter out_;
};

}  // namespace ringmark::sweep
