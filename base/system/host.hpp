// What a rank can tell of the machine it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

/// The host name: ranks with the same one are on the same node, as MPI libraries decide it.
std::string host_name();

/// Memory that could be allocated now without swapping, in bytes.
std::optional<std::size_t> available_memory_bytes();

/// Bytes that left through a network interface of this process's network namespace since it exists.
std::optional<std::uint64_t> interface_sent_bytes(std::string_view interface);

/// Segments that TCP has sent again in this network namespace, by any process.
std::optional<std::uint64_t> tcp_retransmitted_segments();

}  // namespace ringmark
