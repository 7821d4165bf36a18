// A link's rate, loss, delay and corruption as input for tc and nft. Both ends of a link apply them to what they send,
// except that nft loss applies to what each end receives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/fault.hpp"

namespace ringmark::lab {

/// Input of `tc -batch` that puts a device into `state`; empty for a device that never had a rate and gets none. With
/// `has_netem` it includes loss.
std::string shaping_batch(const std::string& device, const LinkState& state, bool has_netem);

/// The same for a device currently in the state `before`: empty if nothing changes.
std::string shaping_batch(const std::string& device, const LinkState& before, const LinkState& state, bool has_netem);

/// Input of `nft -f -` that drops a share of the packets that arrive at the device, or stops doing so.
std::string loss_rules(const std::string& device, double percent);

/// The most that the kernel hands to a device at once by default.
constexpr std::uint32_t unlimited_segment_bytes = 64 << 10;
/// The longest segment of a TCP stream that hosts may hand over at once: half of the smallest bucket, since tbf splits
/// anything longer than the bucket, and times vary if it holds only one.
std::uint32_t most_segment_bytes(const std::vector<LinkState>& states);
/// Input of `ip -batch`.
std::string segment_batch(const std::string& device, std::uint32_t most_bytes);

/// Input of `ip -batch`. Loss applies to what the kernel hands over at once; without this that is up to 64 KiB of a TCP
/// stream instead of a single packet.
std::string single_packets_batch(const std::string& device);

}  // namespace ringmark::lab
