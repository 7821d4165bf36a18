// A link's rate, loss, delay and corruption as input for tc and nft. Both ends of a link have all of it on what they
// send, except for loss by nft, which each end has on what it receives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/fault.hpp"

namespace ringmark::lab {

/// Input of `tc -batch` that makes a device what `state` says; empty for a device that never had a rate and gets none.
/// With `has_netem` loss is a part of it.
std::string shaping_batch(const std::string& device, const LinkState& state, bool has_netem);

/// The same for a device in the state `before`: empty if nothing changes.
std::string shaping_batch(const std::string& device, const LinkState& before, const LinkState& state, bool has_netem);

/// Input of `nft -f -` that drops a share of the packets that arrive at the device, or no longer does.
std::string loss_rules(const std::string& device, double percent);

/// What the kernel hands over at once where nothing limits it.
constexpr std::uint32_t unlimited_segment_bytes = 64 << 10;
/// The longest part of a TCP stream that hosts may hand over at once: half of the smallest bucket, since tbf cuts up
/// what is longer than the bucket, and times vary if it holds only one.
std::uint32_t most_segment_bytes(const std::vector<LinkState>& states);
/// Input of `ip -batch`.
std::string segment_batch(const std::string& device, std::uint32_t most_bytes);

/// Input of `ip -batch`. Loss counts what the kernel hands over at once; without this that is up to 64 KiB of a TCP
/// stream, instead of a packet.
std::string single_packets_batch(const std::string& device);

}  // namespace ringmark::lab
