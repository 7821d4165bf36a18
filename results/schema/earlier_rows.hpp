// Compatibility with rows written before the schema had the columns `launch` and `caveats`: the launch was part of the
// run's name, and caveats were sentences in `detail`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// 7 for "run.7"; empty for a name without such an ending.
std::optional<std::uint64_t> earlier_launch(std::string_view run_id);

/// Removes the sentences that are caveats from a detail, and returns the caveats.
std::vector<Caveat> take_earlier_caveats(std::string& detail);

/// Fills in both columns of such a record.
void complete_earlier(Record& record);

}  // namespace ringmark
