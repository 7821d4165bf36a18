// The score of a launch, which tuning minimises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/input/yaml_reader.hpp"
#include "results/schema/record.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// Reads `64K`; `{sizes: {64K: 3, 1M: 1}}`; `{trace: step.jsonl, collective: all_reduce}`, which weights each size by
/// its count in the step trace (steptrace/1); or `{column: NAME}`. A trace's path is relative to the sweep file.
Objective read_objective(YamlReader& read, const YAML::Node& node, const std::string& sweep_file);

/// Scores one launch's rows; none if a row is not `ok`, or if a wanted size is outside the measured sizes. The
/// time between two measured sizes is interpolated on logarithmic axes.
std::optional<double> score(const Objective& objective, const std::vector<Record>& rows);

std::string describe(const Objective& objective);

}  // namespace ringmark::sweep
