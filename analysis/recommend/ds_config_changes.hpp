// The changes to a DeepSpeed configuration that correspond to the settings of replayed steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringmark::analysis {

/// The settings of one row, named by the replayer's flags ("zero", "reduce-bucket", …), as part of a ds_config.json in
/// the form that DeepSpeed reads (comments allowed). Empty if none of them belongs to DeepSpeed. Settings that no
/// configuration can express become comments.
std::string ds_config_changes(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace ringmark::analysis
