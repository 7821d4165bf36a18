// Arbitrary text as NCCL's log, and as values of NCCL's variables.
#include <cstddef>
#include <cstdint>
#include <string>

#include "replay/import/formats.hpp"
#include "transports/nccl/findings.hpp"
#include "transports/nccl/parameters.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ringmark::NcclFindings findings;
  findings.add(text);
  ringmark::ignored_settings(findings, {{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", text}}, "all_reduce");
  for (const auto& parameter : ringmark::nccl_parameters()) ringmark::problem_of_parameter(parameter.name, text);
  ringmark::problem_of_parameter(text, "1");
  if (ringmark::replay::looks_like_nccl_log(text)) ringmark::replay::import_nccl_log(text);
  return 0;
}
