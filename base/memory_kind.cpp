#include "base/memory_kind.hpp"

namespace ringmark {

std::string_view name(MemoryKind kind) { return kind == MemoryKind::cuda ? "cuda" : "host"; }

std::optional<MemoryKind> parse_memory_kind(std::string_view text) {
  if (text == "host") return MemoryKind::host;
  if (text == "cuda") return MemoryKind::cuda;
  return std::nullopt;
}

}  // namespace ringmark
