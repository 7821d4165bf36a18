#include "analysis/read/json_documents.hpp"

namespace ringmark::analysis {

std::vector<JsonDocument> json_documents(std::string_view text) {
  std::vector<JsonDocument> documents;
  std::size_t begin = 0, line = 1, first_line = 1, depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (is_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        is_string = false;
      }
    } else if (c == '"') {
      is_string = depth > 0;
    } else if (c == '{') {
      if (depth++ == 0) begin = i, first_line = line;
    } else if (c == '}' && depth > 0 && --depth == 0) {
      documents.push_back({text.substr(begin, i + 1 - begin), first_line});
    }
  }
  if (depth > 0) documents.push_back({text.substr(begin), first_line});
  return documents;
}

}  // namespace ringmark::analysis
