#include "analysis/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "results/columns.hpp"
#include "results/comparison.hpp"
#include "results/nccl_tuner.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

struct Case {
  int faster = 0, slower = 0;
  double logs = 0;
  std::vector<const Comparison*> all;

  double mean_ratio() const { return std::exp(logs / static_cast<double>(all.size())); }
};

std::string shown(const std::string& configuration) {
  return configuration.empty() ? "everything unset" : configuration;
}

std::string line_of(const Comparison& each) {
  return fmt::format("{} {}: {}, p {:.1g}, {} against {} launches", each.thing, format_size(each.size_bytes),
                     in_words(each), each.p, each.times_us.size(), each.baseline_us.size());
}

/// "NAME=VALUE" words of a configuration.
std::vector<std::pair<std::string, std::string>> words_of(const std::string& configuration) {
  std::vector<std::pair<std::string, std::string>> words;
  std::istringstream stream(configuration);
  for (std::string word; stream >> word;) {
    const auto equals = word.find('=');
    if (equals != std::string::npos) words.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return words;
}

bool is_variable(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string commented(const Recommendation& recommendation) {
  auto text = fmt::format("# {}\n", recommendation.finding);
  for (const auto& line : recommendation.evidence) text += fmt::format("# {}\n", line);
  return text;
}

std::string in_quotes(const std::string& value) {
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string tuner_csv(const Recommendation& recommendation, const Table& table, const std::vector<std::size_t>& rows) {
  // thing → NCCL's name of its collective, its ranks and nodes
  std::map<std::string, std::size_t> example;
  for (const auto row : rows) example.try_emplace(thing_of(table, row), row);
  std::string text;
  std::set<std::string> with_default;
  for (const auto& range : recommendation.by_size) {
    const auto row = example.at(range.thing);
    auto collective = table.text("collective")[row];
    std::erase(collective, '_');
    std::string algorithm, protocol;
    for (const auto& [name, value] : words_of(range.value)) {
      if (name == "NCCL_ALGO") algorithm = nccl_tuner_word(value, collective);
      if (name == "NCCL_PROTO") protocol = nccl_tuner_word(value, collective);
    }
    if (algorithm.empty() || protocol.empty()) continue;  // nothing matched there: the plug-in's default
    text += nccl_tuner_line({collective, range.from_bytes, range.to_bytes, algorithm, protocol,
                             static_cast<int>(table.figure(row, "nodes").value_or(-1)),
                             static_cast<int>(table.figure(row, "ranks").value_or(-1))});
  }
  return text;
}

}  // namespace

Recommendation recommend(const Table& configured, const std::vector<std::size_t>& rows,
                         const std::optional<std::string>& baseline) {
  const auto result = compare(configured, rows, {.by = "configuration", .baseline = baseline});
  std::map<std::string, Case> cases;
  for (const auto& each : result.comparisons) {
    auto& one = cases[each.value];
    one.faster += each.verdict == Verdict::faster ? 1 : 0;
    one.slower += each.verdict == Verdict::slower ? 1 : 0;
    one.logs += std::log(each.ratio);
    one.all.push_back(&each);
  }
  const Case* best = nullptr;
  Recommendation recommendation{
      .configuration = "", .baseline = shown(result.baseline), .evidence = {}, .finding = "", .by_size = result.best};
  for (const auto& [configuration, one] : cases) {
    if (one.faster == 0 || one.slower > 0) continue;
    if (best != nullptr && one.mean_ratio() >= best->mean_ratio()) continue;
    best = &one;
    recommendation.configuration = configuration;
  }
  const bool depends =
      std::any_of(result.best.begin(), result.best.end(), [](const BestRange& range) { return range.is_shown; });
  if (best != nullptr) {
    recommendation.finding =
        fmt::format("set {}: {} over all that was measured, against {}", recommendation.configuration,
                    difference_words(best->mean_ratio()), recommendation.baseline);
    for (const auto* each : best->all) recommendation.evidence.push_back(line_of(*each));
  } else {
    recommendation.finding =
        fmt::format("keep the default ({}): {}", recommendation.baseline,
                    depends ? "what is faster at some sizes is slower at others; see what is best at each size"
                            : "nothing was shown to be faster");
    for (const auto& each : result.comparisons) {
      if (each.verdict == Verdict::faster || each.verdict == Verdict::slower) {
        recommendation.evidence.push_back(fmt::format("{}: {}", shown(each.value), line_of(each)));
      }
    }
  }
  return recommendation;
}

std::vector<ReadyFile> ready_files(const Recommendation& recommendation, const Table& table,
                                   const std::vector<std::size_t>& rows) {
  std::vector<ReadyFile> files;
  std::string environment, arguments, conf;
  for (const auto& [name, value] : words_of(recommendation.configuration)) {
    if (is_variable(name)) {
      environment += fmt::format("export {}={}\n", name, in_quotes(value));
      if (name.starts_with("NCCL_")) conf += fmt::format("{}={}\n", name, value);
    } else if (is_contract_column(name)) {
      arguments += fmt::format("{}--{} {}", arguments.empty() ? "" : " ", name, value);
    } else {
      arguments += fmt::format("{}--set {}={}", arguments.empty() ? "" : " ", name, value);
    }
  }
  if (!arguments.empty()) environment += fmt::format("export RINGMARK_ARGUMENTS={}\n", in_quotes(arguments));
  if (!environment.empty()) files.push_back({"best.env", commented(recommendation) + environment});
  if (!conf.empty()) files.push_back({"nccl.conf", commented(recommendation) + conf});
  if (auto lines = tuner_csv(recommendation, table, rows); !lines.empty()) files.push_back({"nccl_tuner.csv", lines});
  return files;
}

}  // namespace ringmark::analysis
