// Result files of every kind, whole or not: read, or refused with a message.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/read/read_results.hpp"
#include "base/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ringmark::analysis::Results results;
    ringmark::analysis::read_text(results, "file", text, {.ranks = 4});
  } catch (const ringmark::BadUsage&) {
  }
  return 0;
}
