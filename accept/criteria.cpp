#include "accept/criteria.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "accept/fabric/lab_fabric.hpp"
#include "base/errors.hpp"
#include "base/input/host_list.hpp"
#include "base/input/yaml_reader.hpp"
#include "base/units.hpp"
#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/yaml_values.hpp"

namespace ringmark::accept {
namespace {

constexpr std::array stage_names{
    std::pair{std::string_view("nodes"), Stage::nodes},       std::pair{std::string_view("links"), Stage::links},
    std::pair{std::string_view("rails"), Stage::rails},       std::pair{std::string_view("leaves"), Stage::leaves},
    std::pair{std::string_view("together"), Stage::together}, std::pair{std::string_view("step"), Stage::step}};

/// Keys of `arguments` that can have their own map: stages, and programs for all stages that run them. A stage's map
/// overrides its program's, so stages come first.
const std::array owners_of_arguments{
    std::pair{std::string_view("links"), std::vector{Stage::links}},
    std::pair{std::string_view("rails"), std::vector{Stage::rails}},
    std::pair{std::string_view("leaves"), std::vector{Stage::leaves}},
    std::pair{std::string_view("together"), std::vector{Stage::together}},
    std::pair{std::string_view("step"), std::vector{Stage::step}},
    std::pair{std::string_view("soak"), std::vector{Stage::soak}},
    std::pair{std::string_view("link"), std::vector{Stage::links, Stage::rails}},
    std::pair{std::string_view("all_reduce"), std::vector{Stage::leaves, Stage::together, Stage::soak}},
};

constexpr std::array keys{
    CriteriaKey{"name", "name of the cluster, or of the part under test"},
    CriteriaKey{"launcher", "as in a sweep file: mpich, openmpi, srun, or a map"},
    CriteriaKey{"hosts", "a list, a range such as node[01-04], or a file with one host per line"},
    CriteriaKey{"leaves", "the hosts behind each switch, if known: {leaf1: 'node[01-16]'}"},
    CriteriaKey{"spines", "number of paths between two leaves, if known"},
    CriteriaKey{"rails", "NICs per host, each with its own rank (1)"},
    CriteriaKey{"arguments",
                "flags and options of the measuring programs: {transport: tcp}; those of a stage or a "
                "program go in their own map: {all_reduce: {algorithm: ring}}"},
    CriteriaKey{"environment", "environment variables of the measuring programs"},
    CriteriaKey{"loss", "smallest loss to detect, relative to the expected rate: 10 % or 0.1 (10 %)"},
    CriteriaKey{"false_alarm", "how often a healthy cluster may fail (0.001)"},
    CriteriaKey{"miss", "how often a part with the loss may pass (0.05)"},
    CriteriaKey{
        "expect",
        "{link_GBps: 24, busbw_GBps: 180, algorithm: ring, step_ms: 412}; algorithm is the one that busbw_GBps is for; "
        "published: h100_sxm instead of busbw_GBps takes the published rate; without link_GBps, links are "
        "compared with each other; or history, for the usual rates in the store of --history"},
    CriteriaKey{"size", "size of the messages (1M)"},
    CriteriaKey{"step",
                "the reference step, as flags of ringmark-replay run: {model: llama-8b, zero: 3, device: h100}"},
    CriteriaKey{
        "stages",
        "the stages to run, out of [nodes, links, rails, leaves, together, step]; by default all that are possible"},
    CriteriaKey{"budget", "stop measuring after this time (10min)"},
};

/// The former name of the key `stages`, which is still read.
constexpr std::string_view former_stages = "rungs";

class Interpreter {
 public:
  Interpreter(YamlReader& read, std::string file, std::string lab, Criteria& criteria)
      : read_(read), file_(std::move(file)), lab_(std::move(lab)), criteria_(criteria) {}

  void interpret(const YAML::Node& root) {
    std::vector<std::string> known;
    for (const auto& key : keys) known.emplace_back(key.name);
    known.emplace_back(former_stages);
    YAML::Node leaves, stages;
    for (const auto& [key, node, line] : read_.map("criteria", root, known)) {
      if (key == "name") criteria_.name = read_.text(key, node);
      if (key == "launcher") read_launcher_of(node);
      if (key == "hosts") criteria_.fabric.hosts = sweep::read_hosts(read_, node, file_);
      if (key == "leaves") leaves.reset(node);
      if (key == "spines") criteria_.fabric.spines = read_.number<std::size_t>(key, node, 1, 10'000);
      if (key == "rails") criteria_.fabric.rails = read_.number<std::size_t>(key, node, 1, 64);
      if (key == "arguments") {
        read_arguments(node);
        criteria_.arguments_line = line;
      }
      if (key == "environment") read_values(key, node, criteria_.environment);
      if (key == "loss") criteria_.rates.loss = fraction(key, node, 0.005, 0.9);
      if (key == "false_alarm") criteria_.rates.false_alarm = fraction(key, node, 1e-9, 0.5);
      if (key == "miss") criteria_.rates.miss = fraction(key, node, 1e-6, 0.5);
      if (key == "expect") read_expectations(node);
      if (key == "size") read_size(node);
      if (key == "step") {
        read_values(key, node, criteria_.step);
        criteria_.step_line = line;
      }
      if (key == "stages" || key == former_stages) stages.reset(node);
      if (key == "budget") criteria_.budget = read_.duration(key, node);
    }
    const auto is_given = [](const YAML::Node& node) { return node.IsDefined() && !node.IsNull(); };
    if (root.IsMap())
      criteria_.is_box = fill_from_lab(
          lab_, criteria_.fabric,
          {.spines = is_given(root["spines"]), .rails = is_given(root["rails"]), .leaves = is_given(leaves)});
    check_hosts(root);
    if (is_given(leaves)) read_leaves(leaves);
    criteria_.stages = possible_stages(criteria_.fabric);
    if (is_given(stages)) read_stages(stages);
  }

 private:
  void read_launcher_of(const YAML::Node& node) {
    criteria_.launcher = sweep::read_launcher(read_, node);
    using Kind = sweep::LauncherKind;
    if (criteria_.launcher.kind == Kind::none || criteria_.launcher.kind == Kind::torchrun)
      read_.problem(node, "launcher: ringmark-accept starts the ranks itself; give mpich, openmpi, srun, or a map");
    if (criteria_.launcher.kind == Kind::local)
      read_.problem(node, "launcher: local starts ranks on this host only, so no hosts can be compared");
  }

  void read_values(const std::string& where, const YAML::Node& node, std::map<std::string, sweep::Value>& to) {
    for (const auto& [name, value, line] : read_.map(where, node))
      to[name] = sweep::joined_in(read_, where + "." + name, value);
  }

  /// Flags and options, and maps of those for single stages or programs.
  void read_arguments(const YAML::Node& node) {
    std::map<std::string, std::map<std::string, sweep::Value>> of_stages;
    for (const auto& [name, value, line] : read_.map("arguments", node)) {
      if (value.IsMap()) {
        read_values("arguments." + name, value, of_stages[name]);
      } else {
        criteria_.arguments[name] = sweep::joined_in(read_, "arguments." + name, value);
      }
    }
    std::vector<std::string_view> names;
    for (const auto& [name, stages] : owners_of_arguments) {
      names.push_back(name);
      const auto given = of_stages.extract(std::string(name));
      for (const auto stage : stages) {
        if (given) criteria_.arguments_of[stage].insert(given.mapped().begin(), given.mapped().end());
      }
    }
    for (const auto& [name, values] : of_stages)
      read_.key_problem("arguments." + name, node, "is not a stage or a program; give one of {}",
                        fmt::join(names, ", "));
  }

  /// Empty for a list, a map or nothing; the caller reports these.
  static std::string scalar_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : ""; }

  /// "10 %", 10 or 0.1: a number of 1 or more can only be a percentage.
  double fraction(const std::string& key, const YAML::Node& node, double least, double most) {
    auto text = scalar_of(node);
    const bool has_sign = text.ends_with('%');
    if (has_sign) text.pop_back();
    while (has_sign && text.ends_with(' ')) text.pop_back();
    constexpr double percent = 0.01;
    const auto figure = parse_figure(text);
    const double share = figure.value_or(0) * (has_sign || figure.value_or(0) >= 1 ? percent : 1);
    if (figure && share >= least && share <= most) return share;
    read_.problem(node, "{}: {} is neither a percentage from {:g} % to {:g} % nor a share from {:g} to {:g}", key,
                  YamlReader::shown(node), least / percent, most / percent, least, most);
    return least;
  }

  void read_expectations(const YAML::Node& node) {
    if (node.IsScalar() && node.Scalar() == "history") {
      criteria_.expects_what_is_usual = true;
      return;
    }
    for (const auto& [key, value, line] :
         read_.map("expect", node, {"link_GBps", "busbw_GBps", "published", "algorithm", "step_ms"})) {
      if (key == "algorithm" || key == "published") {
        (key == "published" ? criteria_.published : criteria_.busbw_algorithm) = read_.text("expect." + key, value);
        continue;
      }
      auto& expected = key == "link_GBps"    ? criteria_.link_GBps
                       : key == "busbw_GBps" ? criteria_.busbw_GBps
                                             : criteria_.step_ms;
      expected = read_.number<double>("expect." + key, value, 1e-6, 1e6);
    }
    if (criteria_.busbw_GBps && !criteria_.published.empty())
      read_.problem(node, "expect: busbw_GBps and published are two expectations of one rate; give one of them");
  }

  void read_size(const YAML::Node& node) {
    constexpr std::size_t least = 4096, most = std::size_t{1} << 32U;
    const auto size = parse_size(scalar_of(node));
    if (!size || *size < least || *size > most || *size % least != 0) {
      read_.problem(node, "size: give a multiple of 4K up to 4G, such as 1M");
    } else {
      criteria_.size_bytes = *size;
    }
  }

  void read_stages(const YAML::Node& node) {
    const auto names = read_.texts("stages", node);
    const auto possible = std::exchange(criteria_.stages, {});
    std::vector<std::string_view> all;
    for (const auto& [name, stage] : stage_names) {
      all.push_back(name);
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      criteria_.stages.push_back(stage);
      if (std::find(possible.begin(), possible.end(), stage) != possible.end()) continue;
      read_.problem(node, "stages: {} has nothing to measure; add {}", name,
                    stage == Stage::rails ? "rails: the number of NICs in a host, 2 or more"
                                          : "leaves: at least two leaves with two hosts each");
    }
    if (names.empty()) read_.problem(node, "stages: give at least one of {}", fmt::join(all, ", "));
    for (const auto& name : names) {
      if (std::find(all.begin(), all.end(), name) == all.end())
        read_.problem(node, "stages: '{}' is unknown; give some of {}", name, fmt::join(all, ", "));
    }
  }

  void check_hosts(const YAML::Node& root) {
    const auto& hosts = criteria_.fabric.hosts;
    auto sorted = hosts;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      read_.problem(root["hosts"], "hosts: {} is listed twice", *twice);
    if (hosts.empty() && (!root.IsMap() || !root["hosts"])) {
      read_.problem(1, "hosts: is missing; list the hosts under test");
    } else if (hosts.size() < 2) {
      read_.problem(root["hosts"], "hosts: list two or more");
    } else if (hosts.size() < 3 && !criteria_.link_GBps && !criteria_.expects_what_is_usual) {
      read_.problem(root["hosts"],
                    "hosts: two hosts cannot be judged against each other; list more, or expect: {{link_GBps: …}}");
    }
  }

  void read_leaves(const YAML::Node& node) {
    auto& fabric = criteria_.fabric;
    std::vector<bool> has_leaf(fabric.hosts.size(), false);
    for (const auto& [name, value, line] : read_.map("leaves", node)) {
      Leaf leaf{name, {}};
      try {
        for (const auto& host : expand_host_list(read_.text("leaves." + name, value))) {
          const auto found = std::find(fabric.hosts.begin(), fabric.hosts.end(), host);
          const auto at = static_cast<std::size_t>(found - fabric.hosts.begin());
          if (found == fabric.hosts.end()) {
            read_.problem(line, "leaves.{}: {} is not one of the hosts", name, host);
          } else if (has_leaf[at]) {
            read_.problem(line, "leaves.{}: {} is listed in another leaf too", name, host);
          } else {
            has_leaf[at] = true;
            leaf.hosts.push_back(at);
          }
        }
      } catch (const BadUsage& error) {
        read_.problem(line, "leaves.{}: {}", name, error.what());
      }
      fabric.leaves.push_back(std::move(leaf));
    }
    const auto without = std::find(has_leaf.begin(), has_leaf.end(), false);
    if (without != has_leaf.end())
      read_.problem(node, "leaves: {} is in no leaf",
                    fabric.hosts[static_cast<std::size_t>(without - has_leaf.begin())]);
  }

  YamlReader& read_;
  std::string file_, lab_;
  Criteria& criteria_;
};

}  // namespace

std::string_view name(Stage stage) {
  for (const auto& [name, each] : stage_names) {
    if (each == stage) return name;
  }
  return "soak";
}

std::span<const CriteriaKey> all_criteria_keys() { return keys; }

std::vector<Stage> possible_stages(const Fabric& fabric) {
  const auto several =
      std::count_if(fabric.leaves.begin(), fabric.leaves.end(), [](const Leaf& leaf) { return leaf.hosts.size() > 1; });
  std::vector<Stage> stages;
  for (const auto& [name, stage] : stage_names) {
    if ((stage != Stage::rails || fabric.rails > 1) && (stage != Stage::leaves || several > 1)) stages.push_back(stage);
  }
  return stages;
}

CriteriaFile read_criteria(const std::string& text, const std::string& file, const std::string& lab) {
  CriteriaFile result;
  YamlReader read(file);
  result.problems = read_mended(
      read, text, [&](const YAML::Node& root) { Interpreter(read, file, lab, result.criteria).interpret(root); });
  return result;
}

}  // namespace ringmark::accept
