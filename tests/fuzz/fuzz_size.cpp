// What is read as a size means the same when it is written by us.
#include <cstdint>
#include <cstdlib>

#include "base/units.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark;
  const auto value = parse_size({reinterpret_cast<const char*>(data), size});
  if (value && parse_size(format_size(*value)) != value) std::abort();
  return 0;
}
