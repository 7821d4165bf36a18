// Explains an answer, for a terminal.
#pragma once

#include <string>

#include "analysis/plan/answers.hpp"

namespace ringmark::analysis {

/// "the cheapest by expected cost for the deadline".
std::string why(const Scenario& scenario, const Answer& answer);
/// Whether the choice has the wanted certainty.
std::string certainty_words(const Scenario& scenario, const Answer& answer);
/// Why a cheaper one was not chosen.
std::string why_not(const Scenario& scenario, const Choice& cheapest);
/// The smallest budget with which the deadline can be met, if the given one is too small; otherwise empty.
std::string smallest_budget(const Scenario& scenario, const Answer& answer);

/// "1614336 USD as planned, 2100000 with 90 % certainty", the latter if the cost has a range.
std::string budget_words(const Scenario& scenario, const Choice& choice);

}  // namespace ringmark::analysis
