// A size that was read keeps its value when we write and read it again.
#include <cstdint>
#include <cstdlib>

#include "base/units.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark;
  const auto value = parse_size({reinterpret_cast<const char*>(data), size});
  if (value && parse_size(format_size(*value)) != value) std::abort();
  return 0;
}
