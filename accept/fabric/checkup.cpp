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

std::vector<SharedComplaint> shared_complaints(const std::map<std::size_t, std::vector<Complaint>>& by_host) {
  std::map<std::tuple<std::string, std::string, bool>, SharedComplaint> by_kind;
  for (const auto& [host, complaints] : by_host) {
    for (const auto& complaint : complaints) {
      auto& shared = by_kind[{complaint.check, complaint.subject, complaint.is_problem}];
      if (shared.hosts.empty()) shared.complaint = complaint;
      if (shared.hosts.empty() || shared.hosts.back() != host) shared.hosts.push_back(host);
    }
  }
  std::vector<SharedComplaint> found;
  for (auto& [kind, shared] : by_kind) {
    shared.is_common = 2 * shared.hosts.size() > by_host.size();
    found.push_back(std::move(shared));
  }
  std::stable_sort(found.begin(), found.end(), [](const SharedComplaint& a, const SharedComplaint& b) {
    return std::tuple(!a.complaint.is_problem, a.is_common) < std::tuple(!b.complaint.is_problem, b.is_common);
  });
  return found;
}

}  // namespace ringmark::accept
