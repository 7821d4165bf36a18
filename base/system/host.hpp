// Facts about the machine on which a rank runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

/// The host name, which other hosts may have as well.
std::string host_name();

/// Memory that could be allocated now without swapping, in bytes.
std::optional<std::size_t> available_memory_bytes();

/// Bytes sent through an interface of this process's network namespace since the interface exists.
std::optional<std::uint64_t> interface_sent_bytes(std::string_view interface);

/// The rate to which an adapter and its switch agreed; nothing for virtual interfaces, which have none.
std::optional<double> interface_bits_per_s(std::string_view interface);

/// Segments that TCP retransmitted in this network namespace, for all processes.
std::optional<std::uint64_t> tcp_retransmitted_segments();

}  // namespace ringmark
