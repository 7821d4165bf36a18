#include "sweeps/argument_check.hpp"

#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/transport.hpp"
#include "sweeps/command.hpp"
#include "sweeps/program.hpp"
#include "transports/nccl/environment.hpp"

namespace ringmark::sweep {
namespace {

/// True if the text has the name as a word, or as a flag: not the "op" of "option", nor the "sizes" of "--scale-sizes".
bool names(std::string_view text, std::string_view name) {
  const auto goes_on = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    auto before = text.substr(0, at);
    if (before == "--" || before.ends_with(" --")) before.remove_suffix(2);
    const auto behind = text.substr(at + name.size());
    if ((before.empty() || !goes_on(before.back())) && (behind.empty() || !goes_on(behind.front()))) return true;
  }
  return false;
}

/// The line of the file that gave what a problem names.
int line_of(const Sweep& sweep, const std::string& problem) {
  for (const auto& variable : sweep.variables) {
    if (!names(problem, variable.name)) continue;
    for (std::size_t i = 0; i < variable.values.size(); ++i) {
      const auto& value = variable.values[i];
      if (!value || value->empty()) continue;
      for (const char separator : {' ', '='}) {
        const auto mention = variable.name + separator + *value;
        const auto at = problem.find(mention);
        const auto end = at + mention.size();
        if (at != std::string::npos && (end == problem.size() || problem[end] == ':' || problem[end] == ' '))
          return variable.value_lines[i];
      }
    }
    return variable.line;
  }
  for (const auto& [name, line] : sweep.lines) {
    constexpr std::string_view prefix = "arguments.";
    if (name.starts_with(prefix) && names(problem, name.substr(prefix.size()))) return line;
  }
  const auto found = sweep.lines.find("program");
  return found == sweep.lines.end() ? 1 : found->second;
}

class ArgumentCheck {
 public:
  ArgumentCheck(const Sweep& sweep, const Plan& plan, const std::string& file)
      : sweep_(sweep), plan_(plan), file_(file) {
    for (const auto& variable : sweep.variables) shown_.emplace_back(variable.values.size());
  }

  std::vector<std::string> problems() {
    for (std::size_t point = 0; point < plan_.size(); ++point) {
      if (!is_news(point)) continue;
      const auto setting = plan_.setting(point);
      const auto resolved = resolve(sweep_, setting);
      combination_ = describe(sweep_.variables, setting);
      check_hosts(resolved);
      check_environment(resolved);
      check_words(resolved);
    }
    return std::move(problems_);
  }

 private:
  /// All are at first; beyond that those with a value that no other point has shown.
  bool is_news(std::size_t point) {
    constexpr std::size_t most_command_lines = 5000;
    bool is = checked_.size() < most_command_lines;
    const auto indices = plan_.indices(point);
    for (std::size_t v = 0; v < indices.size(); ++v) {
      is |= !shown_[v][indices[v]];
      shown_[v][indices[v]] = true;
    }
    return is;
  }

  void check_hosts(const Resolved& resolved) {
    if (sweep_.hosts.empty() || nodes_of(resolved) <= std::ssize(sweep_.hosts)) return;
    tell(sweep_.lines.at("hosts"),
         fmt::format("hosts: {} ranks, {} on each node, need {} hosts, and there are {}", resolved.ranks,
                     resolved.ranks_per_node, nodes_of(resolved), sweep_.hosts.size()),
         "give more hosts, or ranks_per_node");
  }

  /// What variables do to each other; each alone was judged where it stands.
  void check_environment(const Resolved& resolved) {
    std::map<std::string, std::string> environment;
    for (const auto& [name, value] : resolved.environment) {
      if (value) environment.emplace(name, *value);
    }
    for (const auto& text : contradictions(environment)) tell(line_of(sweep_, text), text, excluding("change it"));
  }

  void check_words(const Resolved& resolved) {
    auto words = program_arguments(resolved);
    words.insert(words.begin(), resolved.program);
    for (const auto& [name, value] : resolved.environment) {
      if (value) words.push_back(name);
    }
    if (!checked_.insert(words).second) return;
    std::istringstream lines(problems_of(resolved));
    bool takes_them = true;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.starts_with("Run with --help")) continue;
      takes_them = false;
      tell(line_of(sweep_, line), line, excluding("change it"));
    }
    if (takes_them) check_effect(resolved);
  }

  /// Variables of NCCL go to NCCL alone.
  void check_effect(const Resolved& resolved) {
    const auto transport = planned_row(resolved).transport;
    if (transport == name(Transport::nccl)) return;
    for (const auto& variable : sweep_.variables) {
      const auto given = resolved.environment.find(variable.name);
      if (!variable.name.starts_with("NCCL_") || given == resolved.environment.end() || !given->second) continue;
      tell(variable.line, fmt::format("{}: has no effect with --transport {}", variable.name, transport),
           excluding("give transport: nccl"));
    }
  }

  std::string excluding(const char* remedy) const {
    return fmt::format("{}, or exclude the combination ({})", remedy, combination_);
  }

  void tell(int line, const std::string& problem, const std::string& remedy) {
    if (told_.insert(problem).second) problems_.push_back(fmt::format("{}:{}: {}; {}", file_, line, problem, remedy));
  }

  const Sweep& sweep_;
  const Plan& plan_;
  const std::string& file_;
  std::vector<std::vector<bool>> shown_;  ///< of each variable, which of its values a point has shown
  std::set<std::vector<std::string>> checked_;
  std::set<std::string> told_;
  std::vector<std::string> problems_;
  std::string combination_;
};

}  // namespace

std::vector<std::string> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file) {
  return ArgumentCheck(sweep, plan, file).problems();
}

}  // namespace ringmark::sweep
