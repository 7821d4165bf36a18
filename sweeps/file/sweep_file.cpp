#include "sweeps/file/sweep_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/input/yaml_reader.hpp"
#include "sweeps/file/combination_file.hpp"
#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/variable_file.hpp"
#include "sweeps/file/yaml_values.hpp"
#include "sweeps/tune/objective.hpp"
#include "transports/nccl/parameters.hpp"

namespace ringmark::sweep {
namespace {

constexpr int most_launches = 100'000;

constexpr SweepKey keys[]{
    {"question", "the question that the sweep answers, in a sentence"},
    {"program", "all-reduce, reduce-scatter, all-gather, link or replay; a list varies it"},
    {"launcher",
     "mpich, openmpi, slurm, srun, torchrun, none, local, or a map with kind, command and arguments (mpich)"},
    {"ranks", "number of ranks to start (2)"},
    {"ranks_per_node", "number of ranks on each host"},
    {"hosts", "a list, a text such as node[01-04], or a file with a host on each line"},
    {"arguments", "flags and options that do not vary: {sizes: 1M, tcp.sockets: 2}"},
    {"environment", "environment variables that do not vary"},
    {"variables", "values to vary: {algorithm: [unset, ring], tcp.slice: {from: 16K, to: 1M, factor: 4}}"},
    {"zip", "variables that change together: [[A, B]]"},
    {"exclude", "combinations to leave out: [{algorithm: ring, ranks: 2}]"},
    {"repetitions", "launches of each setting (1)"},
    {"order", "random or listed (random)"},
    {"seed", "seed of the random order (1)"},
    {"deadline", "time limit of a launch once its ranks are connected, and also of connecting them (10min)"},
    {"grace", "time between asking a launch to end and killing it (5s)"},
    {"tune", "settings of ringmark-sweep tune: search, objective, budget, verify"},
};

std::string program_names() {
  std::vector<std::string_view> names;
  for (const auto& facts : all_programs()) names.push_back(facts.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

class Interpreter {
 public:
  Interpreter(YamlReader& read, std::string name, Sweep& sweep) : read_(read), name_(std::move(name)), sweep_(sweep) {}

  void interpret(const YAML::Node& root) {
    std::vector<std::string> known;
    for (const auto& key : keys) known.emplace_back(key.name);
    for (const auto& [key, node, line] : read_.map("sweep", root, known)) {
      sweep_.lines[key] = line;
      if (key == "question") sweep_.question = read_.text(key, node);
      if (key == "program") read_program(node);
      if (key == "launcher") sweep_.launcher = read_launcher(read_, node);
      if (key == "ranks") sweep_.ranks = read_.number(key, node, 1, 1'000'000);
      if (key == "ranks_per_node") sweep_.ranks_per_node = read_.number(key, node, 1, 4096);
      if (key == "hosts") sweep_.hosts = read_hosts(read_, node, name_);
      if (key == "arguments") read_arguments(node);
      if (key == "environment") read_environment(node);
      if (key == "variables") read_variables(node);
      if (key == "zip") combinations_.read_zips(node);
      if (key == "exclude") combinations_.read_exclusions(node);
      if (key == "repetitions") sweep_.repetitions = read_.number(key, node, 1, 100'000);
      if (key == "order") sweep_.random_order = read_.choice<bool>(key, node, {{"random", true}, {"listed", false}});
      if (key == "seed") sweep_.seed = read_.number<std::uint64_t>(key, node, 0, UINT64_MAX);
      if (key == "deadline") sweep_.deadline = read_.duration(key, node);
      if (key == "grace") sweep_.grace = read_.duration(key, node);
      if (key == "tune") read_tuning(node);
    }
    if (sweep_.question.empty())
      read_.key_problem("question", 1, "is missing; give the question that the sweep answers, in a sentence");
    if (sweep_.programs.empty() && !sweep_.lines.contains("program"))
      read_.key_problem("program", 1, "is missing; give one of {}", program_names());
    if (sweep_.programs.size() > 1) add_program_variable();
    combinations_.check();
    check_fixed();
  }

 private:
  void read_program(const YAML::Node& node) {
    const auto names =
        node.IsSequence() ? read_.texts("program", node) : std::vector<std::string>{read_.text("program", node)};
    for (const auto& name : names) {
      const auto program = parse_program(name);
      if (!program) {
        read_.key_problem("program", node, "'{}' is unknown; give one of {}", name, program_names());
      } else if (has(*program)) {
        read_.key_problem("program", node, "'{}' is given twice", name);
      } else {
        sweep_.programs.push_back(*program);
      }
    }
    for (const auto& facts : all_programs()) {
      if (has(facts.program) && facts.schema != Schema::collective && sweep_.programs.size() > 1)
        read_.key_problem("program", node,
                          "{} writes a different table from the other programs; give it a sweep of its own",
                          facts.name);
    }
  }

  bool has(Program program) const {
    return std::find(sweep_.programs.begin(), sweep_.programs.end(), program) != sweep_.programs.end();
  }

  void add_program_variable() {
    Variable variable{"program", Target::program, {}, false, sweep_.lines["program"], {}};
    for (const auto program : sweep_.programs) {
      variable.values.emplace_back(name(program));
      variable.value_lines.push_back(variable.line);
    }
    sweep_.variables.insert(sweep_.variables.begin(), variable);
  }

  void read_arguments(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("arguments", node)) {
      const auto key = "arguments." + without_dashes(name);
      sweep_.lines[key] = line;
      const auto target = target_of(name);
      if (target == Target::environment) {
        read_.key_problem(key, line, "looks like an environment variable; put it under environment");
      } else if (target != Target::flag && target != Target::setting) {
        read_.key_problem(key, line, "move it to the top level of the file");
      } else {
        check_flag(read_, "arguments", name, line);
        sweep_.arguments[without_dashes(name)] = joined_in(read_, key, value);
      }
    }
  }

  void read_environment(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("environment", node)) {
      if (name.empty() || name.find('=') != std::string::npos)
        read_.key_problem("environment." + name, line, "is not a valid variable name");
      sweep_.environment[name] = value_in(read_, "environment." + name, value);
      check_nccl(name, sweep_.environment[name], line);
    }
  }

  /// Finds values that NCCL would misread, before hours are spent on them.
  void check_nccl(const std::string& name, const Value& value, int line) {
    if (auto problem = value ? problem_of_parameter(name, *value) : std::nullopt) read_.add(*std::move(problem), line);
  }

  void read_variables(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("variables", node)) {
      if (name == "program") {
        read_.key_problem("variables.program", line, "move it to the top level of the file, as a list");
        continue;
      }
      sweep_.variables.push_back(read_variable(read_, name, value, line));
      const auto& variable = sweep_.variables.back();
      for (std::size_t i = 0; i < variable.values.size(); ++i)
        check_nccl(name, variable.values[i], variable.value_lines[i]);
    }
  }

  void read_tuning(const YAML::Node& node) {
    auto& tuning = sweep_.tuning;
    tuning.line = YamlReader::line_of(node);
    for (const auto& [key, value, line] : read_.map("tune", node, {"search", "objective", "budget", "verify"})) {
      if (key == "search") {
        tuning.search = read_.choice<Search>("tune.search", value,
                                             {{"grid", Search::grid},
                                              {"random", Search::random},
                                              {"bayesian", Search::bayesian},
                                              {"halving", Search::halving}});
      }
      if (key == "verify") tuning.verify_launches = read_.number("tune.verify", value, 0, 1000);
      if (key == "objective") tuning.objective = read_objective(read_, value, name_);
      if (key != "budget") continue;
      bool has_launches = false;
      for (const auto& [unit, amount, budget_line] : read_.map("tune.budget", value, {"launches", "time"})) {
        has_launches |= unit == "launches";
        if (unit == "launches") tuning.budget_launches = read_.number("tune.budget.launches", amount, 2, most_launches);
        if (unit == "time") tuning.budget_time = read_.duration("tune.budget.time", amount);
      }
      if (tuning.budget_time && !has_launches) tuning.budget_launches = most_launches;
    }
  }

  void check_fixed() {
    for (const auto& variable : sweep_.variables) {
      if (sweep_.arguments.contains(variable.name) || sweep_.environment.contains(variable.name))
        read_.key_problem("variables." + variable.name, variable.line, "also has a fixed value; remove one of the two");
    }
  }

  YamlReader& read_;
  std::string name_;
  Sweep& sweep_;
  CombinationReader combinations_{read_, sweep_};
};

}  // namespace

std::span<const SweepKey> all_sweep_keys() { return keys; }

SweepFile read_sweep(const std::string& text, const std::string& name) {
  SweepFile file;
  YamlReader read(name);
  if (text.size() > most_sweep_bytes) {
    read.problem(1, "is longer than 1 MiB, the maximum for a sweep file");
    file.problems = read.problems();
  } else {
    file.problems =
        read_mended(read, text, [&](const YAML::Node& root) { Interpreter(read, name, file.sweep).interpret(root); });
  }
  return file;
}

}  // namespace ringmark::sweep
