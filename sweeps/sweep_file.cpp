#include "sweeps/sweep_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "sweeps/objective.hpp"
#include "sweeps/yaml_reader.hpp"
#include "transports/units.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::array known_programs{"all-reduce", "reduce-scatter", "all-gather", "link"};
constexpr std::array own_flags{"csv", "samples", "run-id", "help", "version", "list", "list-options", "explain"};

bool is_environment_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }) &&
         !name.empty() && !(name[0] >= '0' && name[0] <= '9');
}

bool is_number_or_size(const std::string& text) {
  double number = 0;
  return read_number(text, -1e300, 1e300, number) || parse_size(text).has_value();
}

class Interpreter {
 public:
  Interpreter(YamlReader& read, std::string name, Sweep& sweep) : read_(read), name_(std::move(name)), sweep_(sweep) {}

  void interpret(const YAML::Node& root) {
    for (const auto& [key, node, line] :
         read_.map("sweep", root,
                   {"question", "program", "launcher", "ranks", "ranks_per_node", "hosts", "arguments", "environment",
                    "variables", "zip", "exclude", "repetitions", "order", "seed", "deadline", "grace", "tune"})) {
      sweep_.lines[key] = line;
      if (key == "question") sweep_.question = read_.text(key, node);
      if (key == "program") read_program(node);
      if (key == "launcher") read_launcher(node);
      if (key == "ranks") sweep_.ranks = read_.number(key, node, 1, 1'000'000);
      if (key == "ranks_per_node") sweep_.ranks_per_node = read_.number(key, node, 1, 4096);
      if (key == "hosts") read_hosts(node);
      if (key == "arguments") read_arguments(node);
      if (key == "environment") read_environment(node);
      if (key == "variables") read_variables(node);
      if (key == "zip") read_zips(node);
      if (key == "exclude") read_exclusions(node);
      if (key == "repetitions") sweep_.repetitions = read_.number(key, node, 1, 100'000);
      if (key == "order") sweep_.random_order = read_.choice<bool>(key, node, {{"random", true}, {"listed", false}});
      if (key == "seed") sweep_.seed = read_.number<std::uint64_t>(key, node, 0, UINT64_MAX);
      if (key == "deadline") sweep_.deadline = read_.duration(key, node);
      if (key == "grace") sweep_.grace = read_.duration(key, node);
      if (key == "tune") read_tuning(node);
    }
    if (sweep_.question.empty())
      read_.problem(1, "question: is missing; say in a sentence what the sweep is to answer");
    if (sweep_.programs.empty() && !sweep_.lines.contains("program"))
      read_.problem(1, "program: is missing; give one of {}", fmt::join(known_programs, ", "));
    if (sweep_.programs.size() > 1) add_program_variable();
    check_names();
  }

 private:
  void read_program(const YAML::Node& node) {
    const auto names =
        node.IsSequence() ? read_.texts("program", node) : std::vector<std::string>{read_.text("program", node)};
    for (const auto& name : names) {
      if (std::find(known_programs.begin(), known_programs.end(), name) == known_programs.end()) {
        read_.problem(YamlReader::line_of(node), "program: '{}' is unknown; give one of {}", name,
                      fmt::join(known_programs, ", "));
      } else if (std::find(sweep_.programs.begin(), sweep_.programs.end(), name) != sweep_.programs.end()) {
        read_.problem(YamlReader::line_of(node), "program: '{}' is given twice", name);
      } else {
        sweep_.programs.push_back(name);
      }
    }
    const bool link = std::find(sweep_.programs.begin(), sweep_.programs.end(), "link") != sweep_.programs.end();
    if (link && sweep_.programs.size() > 1) {
      read_.problem(YamlReader::line_of(node),
                    "program: link writes another table than the collectives; give it a sweep of its own");
    }
  }

  void add_program_variable() {
    Variable variable{"program", Target::program, {}, false, sweep_.lines["program"], {}};
    for (const auto& name : sweep_.programs) {
      variable.values.emplace_back(name);
      variable.value_lines.push_back(variable.line);
    }
    sweep_.variables.insert(sweep_.variables.begin(), variable);
  }

  void read_launcher(const YAML::Node& node) {
    auto& launcher = sweep_.launcher;
    const auto read_kind = [&](const YAML::Node& kind) {
      launcher.kind = read_.choice<LauncherKind>("launcher", kind,
                                                 {{"mpich", LauncherKind::mpich},
                                                  {"openmpi", LauncherKind::open_mpi},
                                                  {"srun", LauncherKind::slurm},
                                                  {"local", LauncherKind::local},
                                                  {"custom", LauncherKind::custom}});
    };
    if (!node.IsMap()) {
      read_kind(node);
    } else {
      bool has_kind = false;
      for (const auto& [key, value, line] : read_.map("launcher", node, {"kind", "command", "arguments"})) {
        const auto where = "launcher." + key;
        has_kind |= key == "kind";
        if (key == "kind") read_kind(value);
        if (key == "command")
          launcher.command = value.IsSequence() ? read_.texts(where, value) : std::vector{read_.text(where, value)};
        if (key == "arguments") launcher.arguments = read_.texts(where, value);
      }
      if (!has_kind && !launcher.command.empty()) launcher.kind = LauncherKind::custom;
    }
    const int line = YamlReader::line_of(node);
    if (launcher.kind != LauncherKind::custom) {
      if (launcher.command.size() > 1)
        read_.problem(line, "launcher.command: a list is a template of one's own, kind: custom");
      return;
    }
    if (std::find(launcher.command.begin(), launcher.command.end(), "{command}") == launcher.command.end()) {
      read_.problem(line,
                    "launcher.command: is a list of words with {{command}} among them, where the program goes, and "
                    "{{ranks}}, {{ranks_per_node}}, {{nodes}} and {{hosts}} where wanted");
    }
  }

  void read_hosts(const YAML::Node& node) {
    if (node.IsSequence()) {
      sweep_.hosts = read_.texts("hosts", node);
    } else {
      const auto path = name_.substr(0, name_.rfind('/') + 1) + read_.text("hosts", node);
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) {
        const auto end = line.find_first_of(" \t:#\r");
        if (end != 0 && !line.empty()) sweep_.hosts.push_back(line.substr(0, end));
      }
      if (sweep_.hosts.empty())
        read_.problem(YamlReader::line_of(node), "hosts: no host could be read from {}; give a list, or a file", path);
    }
    for (const auto& host : sweep_.hosts) {
      if (host.starts_with('-') || host.find_first_of(", \t") != std::string::npos)
        read_.problem(YamlReader::line_of(node), "hosts: '{}' is no host name", host);
    }
  }

  void check_flag(const std::string& where, const std::string& name, int line) {
    if (name.starts_with('-')) {
      read_.problem(line, "{}: write '{}' without dashes", where, name);
    } else if (std::find(own_flags.begin(), own_flags.end(), name) != own_flags.end()) {
      read_.problem(line, "{}: '{}' is the sweep's own business; remove it", where, name);
    } else if (name == "repetition") {
      read_.problem(line, "{}: 'repetition' is set by the sweep; give 'repetitions' at the top", where);
    }
  }

  void read_arguments(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("arguments", node)) {
      sweep_.lines["arguments." + name] = line;
      const auto target = target_of(name);
      if (target == Target::environment) {
        read_.problem(line, "arguments: '{}' looks like an environment variable; put it under environment", name);
      } else if (target != Target::flag && target != Target::setting) {
        read_.problem(line, "arguments: give '{}' at the top of the file", name);
      } else {
        check_flag("arguments", name, line);
        sweep_.arguments[name] = read_.joined("arguments." + name, value);
      }
    }
  }

  void read_environment(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("environment", node)) {
      if (name.empty() || name.find('=') != std::string::npos)
        read_.problem(line, "environment: '{}' is no name of a variable", name);
      sweep_.environment[name] = read_.value("environment." + name, value);
    }
  }

  void read_variables(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("variables", node)) {
      if (name == "program") {
        read_.problem(line, "variables: give 'program' at the top of the file, as a list");
        continue;
      }
      const auto target = target_of(name);
      if (target == Target::flag) check_flag("variables", name, line);
      Variable variable{name, target, {}, false, line, {}};
      read_values(variable, value);
      sweep_.variables.push_back(std::move(variable));
    }
  }

  void read_values(Variable& variable, const YAML::Node& node) {
    const auto where = "variables." + variable.name;
    if (node.IsMap()) {
      read_range(variable, node);
    } else if (node.IsSequence()) {
      for (const auto& each : node) {
        variable.values.push_back(read_.joined(where, each));
        variable.value_lines.push_back(YamlReader::line_of(each));
      }
    } else {
      read_.problem(YamlReader::line_of(node), "{}: give a list of values, or {{from: 1, to: 16, factor: 2}}", where);
      return;
    }
    if (variable.values.empty()) read_.problem(variable.line, "{}: has no values", where);
    for (std::size_t i = 0; i < variable.values.size(); ++i) {
      if (std::find(variable.values.begin(), variable.values.begin() + static_cast<long>(i), variable.values[i]) !=
          variable.values.begin() + static_cast<long>(i))
        read_.problem(variable.value_lines[i], "{}: {} is given twice", where, to_text(variable.values[i]));
    }
    variable.ordered = std::all_of(variable.values.begin(), variable.values.end(),
                                   [](const Value& value) { return !value || is_number_or_size(*value); });
    check_launch_values(variable);
  }

  void check_launch_values(const Variable& variable) {
    if (variable.target != Target::ranks && variable.target != Target::ranks_per_node) return;
    for (std::size_t i = 0; i < variable.values.size(); ++i) {
      int count = 0;
      if (!variable.values[i] || !read_number(*variable.values[i], 1, 1'000'000, count))
        read_.problem(variable.value_lines[i], "variables.{}: {} is not a number from 1", variable.name,
                      to_text(variable.values[i]));
    }
  }

  void read_range(Variable& variable, const YAML::Node& node) {
    const auto where = "variables." + variable.name;
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    std::optional<std::uint64_t> from, to, step, factor;
    bool sized = false;
    const auto read_size = [&](const YAML::Node& value, const std::string& key) -> std::uint64_t {
      const auto size = value.IsScalar() ? parse_size(value.Scalar()) : std::nullopt;
      if (!size || *size > most)
        read_.problem(YamlReader::line_of(value), "{}.{}: {} is not a whole number or a size like 64K", where, key,
                      YamlReader::shown(value));
      sized |= value.IsScalar() && value.Scalar().find_first_not_of("0123456789") != std::string::npos;
      return size.value_or(1);
    };
    for (const auto& [key, value, line] : read_.map(where, node, {"from", "to", "step", "factor", "unset"})) {
      if (key == "from") from = read_size(value, key);
      if (key == "to") to = read_size(value, key);
      if (key == "step") step = read_size(value, key);
      if (key == "factor") factor = read_size(value, key);
      if (key == "unset" && read_.choice<bool>(where + ".unset", value, {{"true", true}, {"false", false}})) {
        variable.values.emplace_back(std::nullopt);
        variable.value_lines.push_back(line);
      }
    }
    const bool usable = from && to && *from <= *to && step.has_value() != factor.has_value() && step != 0U &&
                        (!factor || (*factor >= 2 && *from > 0));
    constexpr std::uint64_t most_values = 100'000;
    if (!usable || (step && (*to - *from) / *step >= most_values)) {
      read_.problem(
          variable.line,
          "{}: a range has from, to (not below from) and either step or factor (2 or more, from above 0), and "
          "at most {} values",
          where, most_values);
      return;
    }
    for (std::uint64_t value = *from; value <= *to; value = step ? value + *step : value * *factor) {
      variable.values.emplace_back(sized ? format_size(value) : std::to_string(value));
      variable.value_lines.push_back(variable.line);
    }
  }

  void read_zips(const YAML::Node& node) {
    if (!node.IsSequence()) {
      read_.problem(YamlReader::line_of(node), "zip: give a list of lists of variables: [[A, B], [C, D]]");
      return;
    }
    for (const auto& each : node) sweep_.zips.push_back(read_.texts("zip", each));
  }

  void read_exclusions(const YAML::Node& node) {
    if (!node.IsSequence()) {
      read_.problem(YamlReader::line_of(node), "exclude: give a list of maps, each variable: value or [values]");
      return;
    }
    for (const auto& each : node) {
      Exclusion exclusion;
      for (const auto& [name, value, line] : read_.map("exclude", each)) {
        auto& values = exclusion[name];
        if (value.IsSequence()) {
          for (const auto& one : value) values.push_back(read_.value("exclude." + name, one));
        } else {
          values.push_back(read_.value("exclude." + name, value));
        }
        exclusion_lines_.push_back({sweep_.exclusions.size(), name, line});
      }
      if (exclusion.empty()) read_.problem(YamlReader::line_of(each), "exclude: an empty entry excludes everything");
      sweep_.exclusions.push_back(std::move(exclusion));
    }
  }

  void read_tuning(const YAML::Node& node) {
    auto& tuning = sweep_.tuning;
    tuning.line = YamlReader::line_of(node);
    for (const auto& [key, value, line] : read_.map("tune", node, {"search", "objective", "budget", "verify"})) {
      if (key == "search") {
        tuning.search = read_.choice<Search>(
            "tune.search", value, {{"grid", Search::grid}, {"random", Search::random}, {"bayesian", Search::bayesian}});
      }
      if (key == "verify") tuning.verify_launches = read_.number("tune.verify", value, 2, 1000);
      if (key == "objective") tuning.objective = read_objective(read_, value, name_);
      if (key != "budget") continue;
      for (const auto& [unit, amount, budget_line] : read_.map("tune.budget", value, {"launches", "time"})) {
        if (unit == "launches") tuning.budget_launches = read_.number("tune.budget.launches", amount, 2, 100'000);
        if (unit == "time") tuning.budget_time = read_.duration("tune.budget.time", amount);
      }
    }
  }

  const Variable* find(const std::string& name) const {
    for (const auto& variable : sweep_.variables) {
      if (variable.name == name) return &variable;
    }
    return nullptr;
  }

  void check_names() {
    std::set<std::string> zipped;
    for (const auto& zip : sweep_.zips) {
      std::size_t length = 0;
      for (const auto& name : zip) {
        const auto* variable = find(name);
        if (variable == nullptr) {
          read_.problem(sweep_.lines["zip"], "zip: there is no variable '{}'", name);
        } else if (!zipped.insert(name).second) {
          read_.problem(sweep_.lines["zip"], "zip: '{}' is zipped twice", name);
        } else if (std::exchange(length, variable->values.size()) != variable->values.size() && length != 0 &&
                   name != zip.front()) {
          read_.problem(variable->line, "zip: '{}' has {} values, unlike the variables beside it", name,
                        variable->values.size());
        }
      }
    }
    for (const auto& [index, name, line] : exclusion_lines_) {
      const auto* variable = find(name);
      if (variable == nullptr) {
        read_.problem(line, "exclude: there is no variable '{}'", name);
        continue;
      }
      for (const auto& value : sweep_.exclusions[index].at(name)) {
        if (std::find(variable->values.begin(), variable->values.end(), value) == variable->values.end())
          read_.problem(line, "exclude: {} has no value {}, so that this excludes nothing", name, to_text(value));
      }
    }
    for (const auto& variable : sweep_.variables) {
      if (sweep_.arguments.contains(variable.name) || sweep_.environment.contains(variable.name))
        read_.problem(variable.line, "variables: '{}' is fixed as well; remove one", variable.name);
    }
  }

  struct ExclusionLine {
    std::size_t index;
    std::string name;
    int line;
  };

  YamlReader& read_;
  std::string name_;
  Sweep& sweep_;
  std::vector<ExclusionLine> exclusion_lines_;
};

}  // namespace

std::string to_text(const Value& value) { return value.value_or("unset"); }

Target target_of(const std::string& name) {
  if (name == "program") return Target::program;
  if (name == "ranks") return Target::ranks;
  if (name == "ranks_per_node") return Target::ranks_per_node;
  if (name.find('.') != std::string::npos) return Target::setting;
  return is_environment_name(name) ? Target::environment : Target::flag;
}

SweepFile read_sweep(const std::string& text, const std::string& name) {
  SweepFile file;
  YamlReader read(name);
  constexpr std::size_t most_bytes = 1 << 20;
  if (text.size() > most_bytes) {
    read.problem(1, "is longer than 1 MiB, which no sweep is");
  } else {
    try {
      Interpreter(read, name, file.sweep).interpret(YAML::Load(text));
    } catch (const YAML::Exception& error) {
      read.problem(error.mark.line + 1, "is no YAML: {}", error.msg);
    }
  }
  file.problems = read.problems();
  return file;
}

}  // namespace ringmark::sweep
