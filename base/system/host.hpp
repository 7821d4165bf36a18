// Facts about the machine that a rank runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

/// The host name, which may not be unique.
std::string host_name();

/// Memory that can be allocated without swapping, in bytes.
std::optional<std::size_t> available_memory_bytes();

/// Bytes sent through an interface of this process's network namespace since the interface was created.
std::optional<std::uint64_t> interface_sent_bytes(std::string_view interface);

/// The rate negotiated by the adapter and its switch; empty for virtual interfaces, which have none.
std::optional<double> interface_bits_per_s(std::string_view interface);

/// Segments retransmitted by TCP in this network namespace, by all processes.
std::optional<std::uint64_t> tcp_retransmitted_segments();

}  // namespace ringmark
