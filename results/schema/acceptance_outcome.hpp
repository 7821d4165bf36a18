// The outcome of ringmark-accept, as verdict.json has it.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

enum class AcceptanceOutcome { pass, fail, undecided };
std::string_view name(AcceptanceOutcome outcome);
std::optional<AcceptanceOutcome> parse_acceptance_outcome(std::string_view name);

}  // namespace ringmark
