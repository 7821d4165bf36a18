// The result of a check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark::doctor {

enum class Severity {
  fine,     ///< examined and as it should be
  note,     ///< worth knowing
  warning,  ///< costs performance
  problem,  ///< breaks a transport, or makes its numbers worthless
};
std::string_view name(Severity severity);

struct Finding {
  Severity severity;
  std::string check;     ///< name of the check: "pcie_acs"
  std::string subject;   ///< the device, port or file: "0000:17:00.0", "mlx5_0:1"
  std::string evidence;  ///< the value that was read, and its source
  std::string meaning;   ///< why it matters; empty if all is fine
  std::string remedy;    ///< the command that fixes it; empty if there is nothing to do
};

using Findings = std::vector<Finding>;

std::string as_text(const Findings& findings, const std::vector<std::string>& unreadable, bool all);
/// Schema doctor/1. `host` is empty for a recorded node, whose name is unknown.
std::string as_json(const Findings& findings, const std::vector<std::string>& unreadable, const std::string& host);

}  // namespace ringmark::doctor
