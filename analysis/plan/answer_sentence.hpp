// The answer as a sentence, in one cell that follows the cells of the answer.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/live_text.hpp"
#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {

/// The sentence for the answer whose numbers are in `line`; `verdict` is what its verdict cell shows now.
LiveText answer_sentence(const Scenario& scenario, const CellNames& names, const Answer& answer,
                         const std::string& verdict, std::size_t line, const AnswerCells& cells);

}  // namespace ringmark::analysis
