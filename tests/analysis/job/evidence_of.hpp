// Texts as evidence, for the tests of readers and of the diagnosis.
#pragma once

#include <string>

#include "analysis/job/diagnosis.hpp"
#include "analysis/job/read_evidence.hpp"
#include "base/errors.hpp"

namespace ringmark::testing_support {

inline analysis::job::Evidence evidence_of(const std::string& text, const std::string& file = "nccl_trace_rank_0") {
  return analysis::job::read_bytes({file, {}}, text);
}

/// The reason that it is refused.
inline std::string why_no_evidence(const std::string& text, const std::string& file = "nccl_trace_rank_0") {
  try {
    return "read " + std::to_string(evidence_of(text, file).sources.size()) + " sources";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

/// The findings of a kind.
inline std::vector<analysis::job::Finding> found(const analysis::job::Evidence& evidence,
                                                 analysis::job::FindingKind kind,
                                                 const analysis::job::DiagnosisOptions& options = {}) {
  auto findings = diagnose(evidence, options).findings;
  std::erase_if(findings, [&](const auto& each) { return each.kind != kind; });
  return findings;
}

}  // namespace ringmark::testing_support
