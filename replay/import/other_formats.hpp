// Recognizes formats that import does not read by their first bytes.
#pragma once

#include <string_view>

namespace ringmark::replay {

/// The format and what to do instead: "is compressed; unpack it first, with gzip -dk". Empty for text that may be in
/// a format that import reads.
std::string_view other_format(std::string_view text);

}  // namespace ringmark::replay
