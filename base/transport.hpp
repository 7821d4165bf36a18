// The transports that can be measured.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ringmark {

enum class Transport { tcp, verbs, nccl, mpi };

std::span<const Transport> all_transports();
std::string_view name(Transport transport);
std::optional<Transport> parse_transport(std::string_view text);

/// True if our schedules run over our own fabric; otherwise a library chooses the algorithm.
bool has_own_schedules(Transport transport);

}  // namespace ringmark
