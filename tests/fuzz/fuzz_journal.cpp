// Whatever is read as a journal is one, or damaged.
#include <cstdint>

#include "sweeps/run/journal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark::sweep;
  try {
    parse_journal({reinterpret_cast<const char*>(data), size}, "journal");
  } catch (const JournalDamaged&) {
  }
  return 0;
}
