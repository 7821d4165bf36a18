#include "analysis/job/finding.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/number_ranges.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::analysis::job {

std::string_view name(FindingKind kind) {
  switch (kind) {
    case FindingKind::missing:
      return "missing";
    case FindingKind::mismatched:
      return "mismatched";
    case FindingKind::late:
      return "late";
    case FindingKind::elsewhere:
      return "elsewhere";
    case FindingKind::not_started:
      return "not_started";
    case FindingKind::unwell:
      return "unwell";
    case FindingKind::contradiction:
      return "contradiction";
    case FindingKind::enters_late:
      return "enters_late";
    case FindingKind::slow:
      return "slow";
    case FindingKind::counts_differ:
      return "counts_differ";
    case FindingKind::unfinished:
      break;
  }
  return "unfinished";
}

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(number_ranges(ranks), ", "));
}

std::string ranks_text(const Evidence& evidence, std::optional<std::size_t> communicator,
                       const std::vector<int>& ranks) {
  std::map<std::string, std::vector<int>> by_host;
  for (const int rank : ranks) by_host[communicator ? evidence.host_of(*communicator, rank) : ""].push_back(rank);
  std::vector<std::string> parts;
  for (const auto& [host, some] : by_host)
    parts.push_back(host.empty() ? ranks_text(some) : fmt::format("{} on {}", ranks_text(some), host));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string call_text(const Evidence& evidence, std::size_t communicator, const std::string& operation,
                      std::uint64_t sequence) {
  return fmt::format("{}, sequence {} of {}", operation, sequence, name(evidence.communicators[communicator]));
}

std::string since_text(std::optional<Time> since) {
  if (!since) return "";
  return fmt::format(" since {}", utc_text(std::chrono::floor<std::chrono::seconds>(*since)));
}

}  // namespace ringmark::analysis::job
