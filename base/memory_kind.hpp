// The kind of memory that holds an operation's buffers.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

enum class MemoryKind { host, cuda };

/// "host" or "cuda".
std::string_view name(MemoryKind kind);
std::optional<MemoryKind> parse_memory_kind(std::string_view text);

}  // namespace ringmark
