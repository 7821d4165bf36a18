// Reads small files completely.
#pragma once

#include <string>

namespace ringmark {

/// Throws std::system_error with the path.
std::string read_file(const std::string& path);

/// A file's bytes; empty if it cannot be read, like some files of the kernel and of other processes.
std::string read_if_readable(const std::string& path);
/// Like read_if_readable, without the final newline.
std::string read_text_if_readable(const std::string& path);

}  // namespace ringmark
