#include "accept/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/files/provenance.hpp"

namespace ringmark::accept {
namespace {

constexpr std::size_t most_lines = 5;

/// The first few items, and how many more follow.
template <class Items, class ToText>
std::string some_of(const Items& items, ToText to_text) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_lines, items.size()); ++i)
    text += fmt::format("            {}\n", to_text(items[i]));
  if (items.size() > most_lines) text += fmt::format("            … and {} more\n", items.size() - most_lines);
  return text;
}

/// Part names fit on one line, however many there are.
std::string undecided_in_words(const std::vector<std::string>& parts) {
  if (parts.empty()) return "";
  const auto shown = std::min(most_lines, parts.size());
  auto text = fmt::format("            undecided: {}",
                          fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (parts.size() > shown) text += fmt::format("; and {} more", parts.size() - shown);
  return text + "\n";
}

}  // namespace

std::string in_words(const StageResult& result) {
  auto text = fmt::format("{:<10}{:<10}{}\n", name(result.stage), name(result.outcome), result.summary);
  text += some_of(result.findings, [](const auto& each) {
    return fmt::format("{}: {}{}", each.part, each.evidence,
                       each.look_at.empty() ? "" : "\n                look at " + each.look_at);
  });
  text += undecided_in_words(result.undecided);
  text += some_of(result.remarks, [](const auto& each) { return each; });
  return text;
}

std::string blame_in_words(const AcceptanceResult& result) {
  const auto parts = blamed_parts(result);
  const auto shown = std::min(most_lines, parts.size());
  auto text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (parts.size() > shown) text += fmt::format("; and {} more", parts.size() - shown);
  return text;
}

std::string what_decides(const StageResult& stage) {
  if (stage.stage == Stage::nodes || stage.undecided.empty()) return "";
  return "the measurements vary too much to decide; give a longer budget, larger messages (size), or a larger loss";
}

std::string why_undecided(const AcceptanceResult& result) {
  std::string why;
  for (const auto& stage : result.stages) {
    if (stage.outcome != Outcome::undecided) continue;
    if (auto decides = what_decides(stage); !decides.empty()) return decides;
    if (!why.empty()) continue;
    why = fmt::format("{}: {}", name(stage.stage), stage.undecided.empty() ? stage.summary : stage.undecided.front());
  }
  return why;
}

std::string in_words(const AcceptanceResult& result) {
  std::string text;
  for (const auto stage : result.left_out) text += fmt::format("{:<10}not run\n", name(stage));
  text += fmt::format("\n{}", result.outcome == Outcome::pass   ? "PASS"
                              : result.outcome == Outcome::fail ? "FAIL"
                                                                : "UNDECIDED");
  if (const auto blame = blame_in_words(result); !blame.empty()) text += ": " + blame;
  if (result.outcome == Outcome::undecided) text += ": " + why_undecided(result);
  return text + "\n";
}

nlohmann::ordered_json verdict_json(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run) {
  auto stages = nlohmann::ordered_json::array();
  for (const auto& each : result.stages) {
    auto findings = nlohmann::ordered_json::array();
    for (const auto& [part, hosts, evidence, look_at] : each.findings)
      findings.push_back({{"part", part}, {"hosts", hosts}, {"evidence", evidence}, {"look_at", look_at}});
    stages.push_back({{"rung", name(each.stage)},
                      {"outcome", name(each.outcome)},
                      {"summary", each.summary},
                      {"rounds", each.rounds},
                      {"findings", std::move(findings)},
                      {"undecided", each.undecided},
                      {"what_decides", what_decides(each)},
                      {"remarks", each.remarks}});
  }
  auto left_out = nlohmann::ordered_json::array();
  for (const auto stage : result.left_out) left_out.push_back(name(stage));
  return {{"schema", "accept/1"},
          {"version", version()},
          {"name", criteria.name},
          {"outcome", name(result.outcome)},
          {"criteria", run.criteria_file},
          {"first_utc", run.first_utc},
          {"last_utc", run.last_utc},
          {"loss", criteria.rates.loss},
          {"false_alarm", criteria.rates.false_alarm},
          {"miss", criteria.rates.miss},
          {"hosts", criteria.fabric.hosts},
          {"drain", drain_list(result)},
          {"rungs", std::move(stages)},
          {"left_out", std::move(left_out)}};
}

std::string as_json(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run) {
  return verdict_json(criteria, result, run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<std::string> blamed_parts(const AcceptanceResult& result) {
  std::vector<std::string> parts;
  for (const auto& stage : result.stages) {
    for (const auto& finding : stage.findings) {
      if (std::find(parts.begin(), parts.end(), finding.part) == parts.end()) parts.push_back(finding.part);
    }
  }
  return parts;
}

std::vector<std::string> drain_list(const AcceptanceResult& result) {
  std::vector<std::string> hosts;
  for (const auto& stage : result.stages) {
    for (const auto& finding : stage.findings) {
      for (const auto& host : finding.hosts) {
        if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
      }
    }
  }
  return hosts;
}

}  // namespace ringmark::accept
