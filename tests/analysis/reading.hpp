// A text as results, for the tests of readers.
#pragma once

#include <string>
#include <string_view>

#include "analysis/read/read_results.hpp"
#include "base/errors.hpp"

namespace ringmark::testing_support {

inline analysis::Results read(std::string_view text, const analysis::ReadOptions& options = {},
                              const std::string& file = "f") {
  analysis::Results results;
  analysis::read_text(results, file, text, options);
  return results;
}

/// The reason that it is refused.
inline std::string why_not(std::string_view text, const analysis::ReadOptions& options = {}) {
  try {
    const auto results = read(text, options);
    return "read " + std::to_string(results.table.rows()) + " rows";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

}  // namespace ringmark::testing_support
