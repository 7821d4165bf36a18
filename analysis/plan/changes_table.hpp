// The table of what would change an answer, on the sheet Answer.
#pragma once

#include <cstddef>

#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {

/// Lines of write_changes(), with its title.
std::size_t lines_of_changes(const VariantsSheet& variants);

/// From the line `top` on: the second configuration, another cluster, and every variant.
void write_changes(Sheet sheet, std::size_t top, const Planned& planned, const PlacesTable& places,
                   const Answer& answer, const AnswerCells& cells);

}  // namespace ringmark::analysis
