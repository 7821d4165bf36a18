// Whatever is read as a sweep file is a sweep that can be planned, or a list of problems.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "sweeps/file/plan.hpp"
#include "sweeps/file/sweep_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark::sweep;
  const auto file = read_sweep({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!file.problems.empty()) return 0;
  try {
    const Plan plan(file.sweep);
    if (plan.setting(plan.default_point()).size() != file.sweep.variables.size()) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
