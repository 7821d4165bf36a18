// Tables of measured steps with tensor, pipeline, context or expert parallelism.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/published_steps.hpp"

namespace ringmark::replay {

/// True if the header has the columns of such a table: tp, pp and global_batch.
bool has_parallel_steps(const CsvRow& header);

/// The columns are those of docs/reference/step-tables.md. A row that lacks a value, or whose software is not modelled,
/// is kept with the reason. Throws BadUsage, with the line, for cells that cannot be read.
std::vector<PublishedStep> read_parallel_steps(const std::string& file, const std::vector<CsvRow>& rows);

}  // namespace ringmark::replay
