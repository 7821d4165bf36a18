// SHA-256 digests of files and of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/system/file_descriptor.hpp"

namespace ringmark {

/// In hexadecimal.
std::string sha256(std::string_view bytes);
/// Throws std::system_error if the file cannot be read.
std::string sha256_of(const std::string& path);

/// The digests of a file's parts, from its beginning on. A part that extends beyond the end of the file has the digest
/// of what exists.
class PartDigests {
 public:
  /// Throws std::system_error if the file cannot be read.
  explicit PartDigests(std::string path, std::uint64_t begin = 0);
  std::string next(std::uint64_t bytes);

 private:
  std::string path_;
  FileDescriptor file_;
  std::uint64_t at_;
};

}  // namespace ringmark
