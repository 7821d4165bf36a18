// The verdict as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "accept/criteria.hpp"
#include "accept/judge/verdict_head.hpp"
#include "accept/stage_result.hpp"

namespace ringmark::accept {

/// "links  fail  12 links of 0.06 GB/s, 4 rounds", then at most five findings, a line of undecided parts, and at most
/// five remarks.
std::string in_words(const StageResult& result);
/// The verdict on one line.
std::string in_words(const AcceptanceResult& result);
/// Schema accept/1.
nlohmann::ordered_json verdict_json(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run);
std::string as_json(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run);
/// The change that lets the undecided parts of the stage be judged. Empty if there are none, or if each states
/// it.
std::string what_decides(const StageResult& stage);
/// Why the verdict is undecided.
std::string why_undecided(const AcceptanceResult& result);
/// The parts at fault, each once, in stage order.
std::vector<std::string> blamed_parts(const AcceptanceResult& result);
/// The first few: "host-2; host-3; and 4 more". Empty if there are none.
std::string blame_in_words(const AcceptanceResult& result);
/// The hosts to take out of service, in order.
std::vector<std::string> drain_list(const AcceptanceResult& result);

}  // namespace ringmark::accept
