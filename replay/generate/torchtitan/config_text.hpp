// torchtitan's configuration files in one form: as the equivalent arguments.
#pragma once

#include <string>

namespace ringmark::replay::torchtitan {

/// "--training.seq_len 8192" and so on, one per line. The text is JSON (what 0.3.0 saves as debug.save_config_file, or
/// a recorded setting), TOML (earlier releases), or already arguments. Throws BadUsage with the line that cannot be
/// read.
std::string as_arguments(const std::string& file, const std::string& text);

}  // namespace ringmark::replay::torchtitan
