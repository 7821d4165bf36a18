// What tuning makes small: one number for a launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/yaml_reader.hpp"
#include "results/record.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

/// `64K`; `{sizes: {64K: 3, 1M: 1}}`; `{trace: step.jsonl, collective: all_reduce}`, which weighs each size by how
/// often the step trace (steptrace/1) has it; or `{column: NAME}`. A trace is looked for beside the sweep file.
Objective read_objective(YamlReader& read, const YAML::Node& node, const std::string& sweep_file);

/// Of one launch's rows; nothing if one of them is not `ok`, or a size that is wanted lies outside of those measured.
/// Between measured sizes the time is interpolated, on logarithmic axes.
std::optional<double> score(const Objective& objective, const std::vector<Record>& rows);

std::string describe(const Objective& objective);

}  // namespace ringmark::sweep
