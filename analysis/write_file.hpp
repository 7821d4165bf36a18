// A result file, whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace ringmark::analysis {

/// Replaces a file at once: a full disk or a crash leaves the old one. Throws std::system_error that names it.
void write_file(const std::string& path, std::string_view text);

}  // namespace ringmark::analysis
