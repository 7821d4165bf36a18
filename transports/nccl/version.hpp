// NCCL's version numbers: 22809 is 2.28.9; up to 2.8 the minor version was shorter.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// "2.28.9"
std::string nccl_version_text(int version);
/// For "2.17" the first patch version; 0 for empty text.
int nccl_version_number(std::string_view text);

}  // namespace ringmark
