// JSON documents that follow one another in a file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ringmark::analysis {

struct JsonDocument {
  std::string_view text;
  std::size_t line;  ///< on which it begins, from 1
};

/// The outermost objects of a text, in their order. The last one may be cut off.
std::vector<JsonDocument> json_documents(std::string_view text);

}  // namespace ringmark::analysis
