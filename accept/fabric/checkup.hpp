// The doctor's findings on all hosts: those of a few hosts, and those that most hosts share.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark::accept {

/// A warning or a problem of a host.
struct Complaint {
  bool is_problem = false;  ///< it breaks a transport, or makes its numbers worthless
  std::string check, subject, evidence, meaning, remedy;
};

/// The warnings and problems of a doctor/1 report; none in other JSON.
std::vector<Complaint> complaints_in(const nlohmann::json& report);

struct SharedComplaint {
  Complaint complaint;
  std::vector<std::size_t> hosts;
  bool is_common = false;  ///< more than half of the hosts have it, so it does not single any of them out
};

/// Each complaint once, by check and subject: problems first, those of a few hosts before common ones.
std::vector<SharedComplaint> shared_complaints(const std::map<std::size_t, std::vector<Complaint>>& by_host);

}  // namespace ringmark::accept
