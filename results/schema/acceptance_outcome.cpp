#include "results/schema/acceptance_outcome.hpp"

#include "base/text/names.hpp"

namespace ringmark {
namespace {

constexpr auto outcomes = names_up_to<AcceptanceOutcome::undecided>("pass", "fail", "undecided");

}  // namespace

std::string_view name(AcceptanceOutcome outcome) { return outcomes.of(outcome); }
std::optional<AcceptanceOutcome> parse_acceptance_outcome(std::string_view name) { return outcomes.find(name); }

}  // namespace ringmark
