// Helpers for the tests of imports.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/import/import.hpp"

namespace ringmark::replay {

inline std::vector<std::uint64_t> elements(const Imported& imported) {
  std::vector<std::uint64_t> result;
  for (const auto& call : imported.calls) result.push_back(call.elements);
  return result;
}

inline Imported only(const std::vector<std::pair<std::string, Imported>>& all) {
  EXPECT_EQ(all.size(), 1U);
  return all.front().second;
}

/// The step of files whose ranks all make the same calls.
inline StepTrace import_step(const std::vector<std::string>& files, const RecordingFacts& given,
                             std::vector<std::string>& notes) {
  return std::get<StepTrace>(import_files(files, given, notes));
}

inline std::string refusal(const std::string& text) {
  try {
    import_text("x.json", text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

}  // namespace ringmark::replay
