// Reads small files completely. Regular files only: opening a pipe waits for a writer, and a device may never end.
#pragma once

#include <cstdint>
#include <string>

#include "base/system/file_descriptor.hpp"

namespace ringmark {

/// Opens a file for reading. Throws std::system_error with the path, also if it is not a regular file.
FileDescriptor open_regular(const std::string& path);

/// The rest of an open file. Throws std::system_error with the path, also if it is longer than `most_bytes`.
std::string read_open_file(int fd, const std::string& path, std::uint64_t most_bytes = std::uint64_t{1} << 30U);

/// Throws std::system_error with the path.
std::string read_file(const std::string& path);

/// A file's bytes; empty if it cannot be read, as with some files of the kernel and of other processes.
std::string read_if_readable(const std::string& path);
/// Like read_if_readable, without the final newline.
std::string read_text_if_readable(const std::string& path);

}  // namespace ringmark
