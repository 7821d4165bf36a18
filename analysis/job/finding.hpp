// A problem that the evidence shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/job/evidence.hpp"

namespace ringmark::analysis::job {

enum class FindingKind {
  missing,        ///< ranks that left no dump
  mismatched,     ///< ranks that called another collective than the others
  late,           ///< ranks that have not entered a collective, and wait for nothing else
  elsewhere,      ///< ranks that have not entered a collective, because they wait in another one
  not_started,    ///< ranks whose device has not begun a collective that they launched
  unwell,         ///< ranks that an observer cannot reach, or that report an error
  contradiction,  ///< sources that cannot both be right
  enters_late,    ///< a rank that the others repeatedly wait for
  slow,           ///< collectives below the baseline
  counts_differ,  ///< ranks that launched fewer operations than others
  unfinished      ///< all known ranks entered a collective, which does not end
};
/// "late"
std::string_view name(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::late;
  bool is_decided = true;
  std::vector<int> ranks{};  ///< at fault; empty: unknown
  std::optional<std::size_t> communicator{};
  std::string operation{};
  std::optional<std::uint64_t> sequence{};
  std::optional<std::uint64_t> size_bytes{};
  std::optional<Time> since{};
  std::vector<int> waiting{};  ///< ranks that wait
  std::string sentence{};      ///< the finding in words
  std::string reason{};        ///< the evidence for it; may be empty
};

/// "ranks 0-2, 5"
std::string ranks_text(const std::vector<int>& ranks);
/// The same with hosts, if they are known: "rank 2 on node7".
std::string ranks_text(const Evidence& evidence, std::optional<std::size_t> communicator,
                       const std::vector<int>& ranks);
/// "all_reduce, sequence 4 of group 0 (default_pg)"
std::string call_text(const Evidence& evidence, std::size_t communicator, const std::string& operation,
                      std::uint64_t sequence);
/// " since 2026-11-28T15:37:45Z"; empty if unknown.
std::string since_text(std::optional<Time> since);

}  // namespace ringmark::analysis::job
