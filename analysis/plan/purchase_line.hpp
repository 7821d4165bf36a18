// The line of an answer about buying.
#pragma once

#include <cstddef>

#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {

/// Compares the best bought cluster with the best rented one, as the cells of `places` rank them.
void write_purchase(Sheet sheet, std::size_t line, const Scenario& scenario, const PlacesTable& places,
                    const Answer& answer);

}  // namespace ringmark::analysis
