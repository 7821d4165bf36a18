#include "sweeps/training/training_run.hpp"

#include <array>
#include <filesystem>
#include <utility>

#include "base/errors.hpp"
#include "base/input/yaml_reader.hpp"
#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/variable_file.hpp"
#include "sweeps/file/yaml_values.hpp"
#include "sweeps/nodes/node_launch.hpp"

namespace ringmark::sweep {
namespace {

constexpr SweepKey keys[]{
    {"model", "a shipped model, a config.json, or a model description"},
    {"trace", "instead of a model: a recorded step, for which only step 1, the collective, can be tuned"},
    {"ds_config", "DeepSpeed's configuration file"},
    {"step", "flags of ringmark-replay for the step: {framework: deepspeed-0.16.4, dtype: bf16, sequence: 2048}"},
    {"compute", "flags of ringmark-replay for computation times: {device: a100}"},
    {"network", "flags of ringmark-replay for predictions: {alpha-us: 5, bandwidth-GBps: 12.5} or {fit: fit.json}"},
    {"global_batch", "samples of all ranks in a step, which stays constant (that of the step)"},
    {"launcher", "as in a sweep file; so are ranks, ranks_per_node, hosts, deadline, grace and seed"},
    {"ranks", "number of ranks to start (2)"},
    {"ranks_per_node", "number of ranks on each host"},
    {"hosts", "a list, a text such as node[01-04], or a file with a host on each line"},
    {"arguments", "flags and options of every launch: {transport: tcp, max-time: 5}"},
    {"environment", "environment variables of every launch"},
    {"deadline", "time limit of a launch once its ranks are connected (10min)"},
    {"grace", "time between asking a launch to end and killing it (5s)"},
    {"seed", "seed of the search and of the random order (1)"},
    {"budget", "{launches: 60, time: 30min}: one of them or both"},
    {"verify", "launches of the default and of each choice at the end (derived from the budget, at most 6)"},
    {"change", "what may change: {collective: {tcp.sockets: [unset, 4]}, strategy: {stage: [1, 2]}, framework: no}"},
};

class Interpreter {
 public:
  Interpreter(YamlReader& read, TrainingRun& run) : read_(read), run_(run) {}

  void interpret(const YAML::Node& root) {
    std::vector<std::string> known;
    for (const auto& key : keys) known.emplace_back(key.name);
    auto& base = run_.base;
    base.programs = {Program::replay};
    for (const auto& [key, node, line] : read_.map("run", root, known)) {
      run_.lines[key] = base.lines[key] = line;
      if (key == "model") run_.model = file_or_name(read_.text(key, node));
      if (key == "trace") run_.trace = relative_to(run_.file, read_.text(key, node));
      if (key == "ds_config") run_.ds_config = relative_to(run_.file, read_.text(key, node));
      if (key == "step") read_flags(key, node, run_.step);
      if (key == "compute") read_flags(key, node, run_.compute);
      if (key == "network") read_flags(key, node, run_.network);
      if (key == "global_batch") run_.global_batch = read_.number<std::uint64_t>(key, node, 1, std::uint64_t{1} << 40U);
      if (key == "launcher") base.launcher = read_launcher(read_, node);
      if (key == "ranks") base.ranks = read_.number(key, node, 1, 1'000'000);
      if (key == "ranks_per_node") base.ranks_per_node = read_.number(key, node, 1, 4096);
      if (key == "hosts") base.hosts = read_hosts(read_, node, run_.file);
      if (key == "arguments") read_arguments(node);
      if (key == "environment") read_environment(node);
      if (key == "deadline") base.deadline = read_.duration(key, node);
      if (key == "grace") base.grace = read_.duration(key, node);
      if (key == "seed") base.seed = read_.number<std::uint64_t>(key, node, 0, UINT64_MAX);
      if (key == "budget") read_budget(node);
      if (key == "verify") run_.verify = read_.number(key, node, 2, 1000);
      if (key == "change") read_changes(node);
    }
    check();
  }

 private:
  /// A value that names a file next to this one means that file.
  std::string file_or_name(const std::string& text) const {
    auto path = relative_to(run_.file, text);
    std::error_code unknown;
    return std::filesystem::is_regular_file(path, unknown) ? path : text;
  }

  void read_flags(const std::string& section, const YAML::Node& node, std::map<std::string, Value>& flags) {
    for (const auto& [name, value, line] : read_.map(section, node)) {
      check_flag(read_, section, name, line);
      run_.lines[section + "." + name] = line;
      auto text = joined_in(read_, section + "." + name, value);
      if (text) flags[name] = file_or_name(*text);
    }
  }

  void read_arguments(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("arguments", node)) {
      check_flag(read_, "arguments", name, line);
      run_.lines["arguments." + name] = run_.base.lines["arguments." + name] = line;
      run_.base.arguments[without_dashes(name)] = joined_in(read_, "arguments." + name, value);
    }
  }

  void read_environment(const YAML::Node& node) {
    for (const auto& [name, value, line] : read_.map("environment", node))
      run_.base.environment[name] = value_in(read_, "environment." + name, value);
  }

  void read_budget(const YAML::Node& node) {
    constexpr int most_launches = 100'000;
    for (const auto& [unit, amount, line] : read_.map("budget", node, {"launches", "time"})) {
      if (unit == "launches") run_.budget_launches = read_.number("budget.launches", amount, 1, most_launches);
      if (unit == "time") run_.budget_time = read_.duration("budget.time", amount);
    }
  }

  /// `no` leaves a step of the method out.
  static bool is_no(const YAML::Node& node) {
    bool wanted = true;
    return node.IsScalar() && YAML::convert<bool>::decode(node, wanted) && !wanted;
  }

  void read_changes(const YAML::Node& node) {
    for (const auto& [key, value, line] : read_.map("change", node, {"collective", "strategy", "framework"})) {
      run_.lines["change." + key] = line;
      if (key != "collective") {
        auto& changes = key == "strategy" ? run_.strategy : run_.framework;
        changes.emplace();
        if (is_no(value)) continue;
        for (const auto& [name, values, at] : read_.map("change." + key, value)) {
          run_.lines["change." + key + "." + name] = at;
          (*changes)[name] = read_.texts("change." + key + "." + name, values);
        }
        continue;
      }
      run_.collective.emplace();
      if (is_no(value)) continue;
      for (const auto& [name, values, at] : read_.map("change.collective", value))
        run_.collective->push_back(read_variable(read_, name, values, at));
    }
  }

  void check() {
    if (run_.model.empty() == run_.trace.empty())
      read_.key_problem(
          "model", run_.line_of("trace"), "{}; give a shipped model, a config.json or a description",
          run_.model.empty() ? "is missing" : "is given together with trace, which already describes the step");
    if (!run_.trace.empty()) {
      for (const auto* key : {"ds_config", "step", "global_batch"}) {
        if (run_.lines.contains(key))
          read_.key_problem(key, run_.line_of(key),
                            "the trace already describes the step; remove this key, or give a model instead");
      }
    }
    for (const auto& [name, value] : run_.compute) {
      if (run_.base.arguments.contains(name))
        read_.key_problem("compute." + name, run_.line_of("compute." + name),
                          "is also in arguments; remove one of the two");
    }
    for (const auto& variable : run_.collective.value_or(std::vector<Variable>())) {
      if (variable.target != Target::setting && variable.target != Target::environment && variable.name != "algorithm")
        read_.key_problem("change.collective." + variable.name, variable.line,
                          "is neither an option of the transport, such as tcp.sockets, nor an environment variable");
      if (run_.base.arguments.contains(variable.name) || run_.base.environment.contains(variable.name))
        read_.key_problem("change.collective." + variable.name, variable.line,
                          "also has a fixed value; remove one of the two");
    }
  }

  YamlReader& read_;
  TrainingRun& run_;
};

}  // namespace

std::string_view name(Part part) {
  constexpr std::array names{"collective", "strategy", "framework"};
  return names.at(static_cast<std::size_t>(part));
}

int TrainingRun::line_of(const std::string& key) const {
  const auto found = lines.find(key);
  return found == lines.end() ? 1 : found->second;
}

std::span<const SweepKey> all_training_run_keys() { return keys; }

TrainingRun read_training_run(const std::string& text, const std::string& file, const Overrides& overrides) {
  TrainingRun run;
  run.file = file;
  YamlReader read(file);
  auto problems = read_mended(read, text, [&](const YAML::Node& root) { Interpreter(read, run).interpret(root); });
  for (auto& problem : apply(overrides, run.base)) problems.push_back(std::move(problem));
  if (needs_nodes(run.base.launcher.kind))
    problems.push_back({.flag = "launcher",
                        .text = "tune-run starts the ranks itself",
                        .remedy = "give mpich, openmpi, slurm, local or a command of your own",
                        .place = Place{file, run.line_of("launcher")}});
  if (!problems.empty()) throw BadUsage(std::move(problems));
  return run;
}

}  // namespace ringmark::sweep
