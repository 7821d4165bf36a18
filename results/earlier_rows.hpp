// What rows say that were written before the schema had the columns `launch` and `caveats`: the launch was read off the
// run's name, and caveats were sentences in `detail`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// 7 of "run.7"; nothing for a name that does not end so.
std::optional<std::uint64_t> earlier_launch(std::string_view run_id);

/// Takes the sentences that are caveats out of a detail.
std::vector<Caveat> take_earlier_caveats(std::string& detail);

/// Fills in both columns of such a record.
void complete_earlier(Record& record);

}  // namespace ringmark
