// Addresses and routes of a fabric as input for `ip -batch`.
//
// Host addresses are 10.LEAF.RAIL.HOST with a prefix of 8 bits, so that all hosts look like one subnet, although routes
// send packets to the leaf. The ends of uplinks are in 172.31.LEAF.0/24, two addresses each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/fault.hpp"
#include "lab/network.hpp"

namespace ringmark::lab {

std::string fabric_host_batch(const Network& network, const Host& host);
std::string leaf_addresses_batch(const Network& network, std::size_t leaf);
/// `spine` counts from 0.
std::string spine_addresses_batch(const Network& network, std::size_t spine);

/// The routes over links that are up, replacing the existing ones. `states` is by link.
std::string leaf_routes_batch(const Network& network, std::size_t leaf, const std::vector<LinkState>& states);
std::string spine_routes_batch(const Network& network, std::size_t spine, const std::vector<LinkState>& states);

}  // namespace ringmark::lab
