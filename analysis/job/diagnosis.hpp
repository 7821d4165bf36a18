// The diagnosis of a job: what is wrong, according to all sources, and what to measure next.
#pragma once

#include <string>
#include <vector>

#include "analysis/job/finding.hpp"
#include "analysis/job/timed_calls.hpp"
#include "analysis/job/waits.hpp"

namespace ringmark::analysis::job {

struct DiagnosisOptions {
  WaitOptions waits{};
  std::vector<BaselineRow> baseline{};
  double tolerated_share = 0.2;
};

struct Diagnosis {
  std::vector<Finding> findings;  ///< the most important first
  std::string next_command;       ///< for a shell; empty if there is nothing to measure
  std::string next_reason;        ///< why to measure it, or why there is nothing to measure

  bool is_undecided() const;
};

Diagnosis diagnose(const Evidence& evidence, const DiagnosisOptions& options);

/// The findings, the most important first, what was read, and what to measure next.
std::string print(const Evidence& evidence, const Diagnosis& diagnosis);
/// An array of objects, job/1.
std::string to_json(const Evidence& evidence, const Diagnosis& diagnosis);

}  // namespace ringmark::analysis::job
