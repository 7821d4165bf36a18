// Small files, read whole.
#pragma once

#include <string>

namespace ringmark {

/// Throws std::system_error with the path.
std::string read_file(const std::string& path);

/// A file's bytes; empty if it cannot be read, as what the kernel and other processes show may not be.
std::string read_if_readable(const std::string& path);
/// The same of a text, without the final newline.
std::string read_text_if_readable(const std::string& path);

}  // namespace ringmark
