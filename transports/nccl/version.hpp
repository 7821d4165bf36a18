// NCCL's versions as it counts them: 22809 is 2.28.9; up to 2.8 a minor version had two digits less.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// "2.28.9"
std::string nccl_version_text(int version);
/// Of "2.17", the first of them; 0 of nothing.
int nccl_version_number(std::string_view text);

}  // namespace ringmark
