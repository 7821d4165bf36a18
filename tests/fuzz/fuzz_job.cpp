// Evidence of a running job in any format, whole or not: read and diagnosed, or refused with a message.
#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/job/diagnosis.hpp"
#include "analysis/job/read_evidence.hpp"
#include "base/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto evidence = ringmark::analysis::job::read_bytes({"nccl_trace_rank_0", {}}, bytes);
    const auto diagnosis = ringmark::analysis::job::diagnose(evidence, {});
    print(evidence, diagnosis);
    to_json(evidence, diagnosis);
  } catch (const ringmark::BadUsage&) {
  }
  return 0;
}
