#include "accept/fabric/checkup.hpp"

#include <algorithm>
#include <tuple>

namespace ringmark::accept {

std::vector<Complaint> complaints_in(const nlohmann::json& report) {
  std::vector<Complaint> found;
  if (!report.is_object() || report.value("schema", "") != "doctor/1") return found;
  for (const auto& each : report.at("findings")) {
    const auto severity = each.value("severity", "");
    if (severity != "problem" && severity != "warning") continue;
    found.push_back({severity == "problem", each.value("check", ""), each.value("subject", ""),
                     each.value("evidence", ""), each.value("meaning", ""), each.value("remedy", "")});
  }
  return found;
}

std::vector<Ailment> ailments(const std::map<std::size_t, std::vector<Complaint>>& by_host) {
  std::map<std::tuple<std::string, std::string, bool>, Ailment> by_kind;
  for (const auto& [host, complaints] : by_host) {
    for (const auto& complaint : complaints) {
      auto& ailment = by_kind[{complaint.check, complaint.subject, complaint.is_problem}];
      if (ailment.hosts.empty()) ailment.complaint = complaint;
      if (ailment.hosts.empty() || ailment.hosts.back() != host) ailment.hosts.push_back(host);
    }
  }
  std::vector<Ailment> found;
  for (auto& [kind, ailment] : by_kind) {
    ailment.is_common = 2 * ailment.hosts.size() > by_host.size();
    found.push_back(std::move(ailment));
  }
  std::stable_sort(found.begin(), found.end(), [](const Ailment& a, const Ailment& b) {
    return std::tuple(!a.complaint.is_problem, a.is_common) < std::tuple(!b.complaint.is_problem, b.is_common);
  });
  return found;
}

}  // namespace ringmark::accept
