// The changes to a DeepSpeed configuration that a setting of replayed steps stands for.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringmark::analysis {

/// The settings of one row by the replayer's flags ("zero", "reduce-bucket", …) as a part of a ds_config.json, in the
/// form that DeepSpeed reads (comments allowed); empty if none of them is one of DeepSpeed's. Settings that no
/// configuration can express become comments.
std::string ds_config_changes(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace ringmark::analysis
