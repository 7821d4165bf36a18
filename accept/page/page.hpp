// The verdict as a page in a single file: rungs with their evidence, and heat maps of pairs.
#pragma once

#include <string>
#include <string_view>

#include "accept/criteria.hpp"
#include "accept/rung_result.hpp"

namespace ringmark::accept {

std::string as_page(const Criteria& criteria, const LadderResult& result);

/// Files of this folder, embedded.
extern const std::string_view verdict_js, verdict_css;

}  // namespace ringmark::accept
