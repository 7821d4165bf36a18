#include "doctor/finding.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringmark::doctor {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::fine:
      return "fine";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::problem:
      break;
  }
  return "problem";
}

std::string as_text(const Findings& findings, const std::vector<std::string>& unreadable, bool all) {
  auto sorted = findings;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  std::map<Severity, int> count;
  std::string text;
  for (const auto& finding : sorted) {
    ++count[finding.severity];
    if (finding.severity == Severity::fine && !all) continue;
    text +=
        fmt::format("{:8} {} ({})\n    {}\n", name(finding.severity), finding.subject, finding.check, finding.evidence);
    if (!finding.meaning.empty()) text += fmt::format("    {}\n", finding.meaning);
    if (!finding.remedy.empty()) text += fmt::format("    $ {}\n", finding.remedy);
  }
  if (!unreadable.empty()) {
    text += "not readable by this user:\n";
    for (const auto& path : unreadable) text += fmt::format("    {}\n", path);
  }
  return text + fmt::format("{} problems, {} warnings, {} notes, {} fine\n", count[Severity::problem],
                            count[Severity::warning], count[Severity::note], count[Severity::fine]);
}

std::string as_json(const Findings& findings, const std::vector<std::string>& unreadable, const std::string& host) {
  nlohmann::ordered_json report{{"schema", "doctor/1"}, {"host", host}, {"findings", nlohmann::ordered_json::array()}};
  for (const auto& finding : findings) {
    report["findings"].push_back({{"severity", name(finding.severity)},
                                  {"check", finding.check},
                                  {"subject", finding.subject},
                                  {"evidence", finding.evidence},
                                  {"meaning", finding.meaning},
                                  {"remedy", finding.remedy}});
  }
  report["unreadable"] = unreadable;
  // Evidence may contain invalid UTF-8.
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ringmark::doctor
