// The verdict as a single-file page: stages with their evidence, and heat maps of pairs.
#pragma once

#include <string>
#include <string_view>

#include "accept/criteria.hpp"
#include "accept/judge/verdict_head.hpp"
#include "accept/stage_result.hpp"

namespace ringmark::accept {

std::string as_page(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run);

/// Files of this folder, embedded.
extern const std::string_view verdict_js, verdict_css;

}  // namespace ringmark::accept
