#include "transports/fabric/tcp/address.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/system/check.hpp"

namespace ringmark {
namespace {

using Bits = std::array<unsigned char, 16>;

std::optional<Bits> to_bits(const std::string& address, int family) {
  Bits bits{};
  if (::inet_pton(family, address.c_str(), bits.data()) != 1) return std::nullopt;
  return bits;
}

bool share_prefix(const Bits& a, const Bits& b, int prefix_bits) {
  for (int bit = 0; bit < prefix_bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if (((a[byte] ^ b[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool same_subnet(const InterfaceAddress& a, const InterfaceAddress& b) {
  if (a.family != b.family || a.prefix_bits != b.prefix_bits) return false;
  return share_prefix(*to_bits(a.address, a.family), *to_bits(b.address, b.family), a.prefix_bits);
}

int count_prefix_bits(const sockaddr* mask) {
  if (mask == nullptr) return 0;
  int bits = 0;
  if (mask->sa_family == AF_INET) return std::popcount(reinterpret_cast<const sockaddr_in*>(mask)->sin_addr.s_addr);
  for (const auto byte : reinterpret_cast<const sockaddr_in6*>(mask)->sin6_addr.s6_addr) {
    bits += std::popcount(static_cast<unsigned>(byte));
  }
  return bits;
}

std::string list(const std::vector<InterfaceAddress>& addresses) {
  std::vector<std::string> words;
  for (const auto& a : addresses) words.push_back(fmt::format("{} ({}/{})", a.interface, a.address, a.prefix_bits));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

struct SameAddress {
  InterfaceAddress address;
  std::pair<std::string, std::string> hosts;
};

/// The first of the chosen addresses that belongs to two hosts. Such an address, for example of a container bridge,
/// cannot be reached from other hosts.
std::optional<SameAddress> same_address(const std::vector<InterfaceAddress>& chosen,
                                        const std::vector<RankAddresses>& ranks) {
  std::map<std::string, std::string> owners;  // address, host
  for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
    const auto [owner, is_new] = owners.try_emplace(chosen[rank].address, ranks[rank].host);
    if (!is_new && owner->second != ranks[rank].host)
      return SameAddress{chosen[rank], {owner->second, ranks[rank].host}};
  }
  return std::nullopt;
}

/// The first address of each rank for which `fits` is true; empty unless all ranks have one.
template <class Fits>
std::optional<std::vector<InterfaceAddress>> first_of_each(const std::vector<RankAddresses>& ranks, Fits fits) {
  std::vector<InterfaceAddress> chosen;
  for (const auto& rank : ranks) {
    const auto found = std::find_if(rank.addresses.begin(), rank.addresses.end(), fits);
    if (found == rank.addresses.end()) return std::nullopt;
    chosen.push_back(*found);
  }
  if (same_address(chosen, ranks)) return std::nullopt;
  return chosen;
}

}  // namespace

std::vector<InterfaceAddress> local_addresses() {
  ifaddrs* first = nullptr;
  check_sys(::getifaddrs(&first), "list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  std::vector<InterfaceAddress> found;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    const int family = entry->ifa_addr->sa_family;
    const void* raw = nullptr;
    if (family == AF_INET) {
      raw = &reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr;
    } else if (family == AF_INET6) {
      const auto& address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&address)) continue;
      raw = &address;
    } else {
      continue;
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(family, raw, text.data(), text.size());
    found.push_back({entry->ifa_name, text.data(), family, count_prefix_bits(entry->ifa_netmask),
                     (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return found;
}

bool is_valid(const InterfaceAddress& address) {
  if (address.family != AF_INET && address.family != AF_INET6) return false;
  const int most_bits = address.family == AF_INET6 ? 128 : 32;
  return address.prefix_bits >= 0 && address.prefix_bits <= most_bits && to_bits(address.address, address.family);
}

bool in_subnet(const InterfaceAddress& address, std::string_view subnet) {
  const auto slash = subnet.find('/');
  if (slash == std::string_view::npos) return false;
  int prefix_bits = 0;
  const int most = address.family == AF_INET6 ? 128 : 32;
  if (!read_number(subnet.substr(slash + 1), 0, most, prefix_bits)) return false;
  const auto network = to_bits(std::string(subnet.substr(0, slash)), address.family);
  const auto bits = to_bits(address.address, address.family);
  return network && bits && share_prefix(*network, *bits, prefix_bits);
}

std::vector<InterfaceAddress> admitted(const std::vector<InterfaceAddress>& all, const TcpOptions& options) {
  std::vector<InterfaceAddress> result;
  for (const auto& a : all) {
    const bool family = options.family == "any" || (options.family == "ipv6") == (a.family == AF_INET6);
    const auto names = split_at_commas(options.interface);
    const bool interface = options.interface.empty() || std::any_of(names.begin(), names.end(), [&](const auto& name) {
                             return a.interface == name || in_subnet(a, name);
                           });
    if (family && interface) result.push_back(a);
  }
  if (all.empty())
    throw BadUsage("no interface of this host is up with an address, not even loopback; run ip link set lo up");
  if (result.empty()) {
    std::vector<std::string> wanted;
    if (!options.interface.empty()) wanted.push_back("--set tcp.interface=" + options.interface);
    if (options.family != "any") wanted.push_back("--set tcp.family=" + options.family);
    throw BadUsage(fmt::format("{}: this host has no such address; it has {}", fmt::join(wanted, " "), list(all)));
  }
  return result;
}

namespace {

/// Each rank's first address of the family on its interface: the first rank of a host uses the first name, and so on.
/// Throws BadUsage if a rank has none, or if two hosts have the same one.
std::vector<InterfaceAddress> in_turn(const std::vector<RankAddresses>& ranks, const std::vector<std::string>& names,
                                      int family) {
  std::map<std::string, std::size_t> taken;
  std::vector<InterfaceAddress> chosen;
  for (const auto& rank : ranks) {
    const auto& name = names[taken[rank.host]++ % names.size()];
    const auto found = std::find_if(rank.addresses.begin(), rank.addresses.end(), [&](const InterfaceAddress& a) {
      return (a.interface == name || in_subnet(a, name)) && a.family == family;
    });
    if (found == rank.addresses.end())
      throw BadUsage(fmt::format("--set tcp.interface={}: {} has no such address on {}; it has {}",
                                 fmt::join(names, ","), rank.host, name, list(rank.addresses)));
    chosen.push_back(*found);
  }
  if (const auto same = same_address(chosen, ranks))
    throw BadUsage(fmt::format(
        "--set tcp.interface={}: {} and {} have the same address {} on {}, so neither can reach the other there; "
        "leave out that interface",
        fmt::join(names, ","), same->hosts.first, same->hosts.second, same->address.address, same->address.interface));
  return chosen;
}

/// Uses the first of rank 0's address families that all ranks have. If there is none, throws the first family's
/// problem.
std::vector<InterfaceAddress> in_turn(const std::vector<RankAddresses>& ranks, const std::vector<std::string>& names) {
  std::vector<int> families;
  for (const auto& each : ranks.front().addresses) {
    if (std::find(families.begin(), families.end(), each.family) == families.end()) families.push_back(each.family);
  }
  if (families.empty()) families = {AF_INET};
  std::optional<BadUsage> problem;
  for (const int family : families) {
    try {
      return in_turn(ranks, names, family);
    } catch (const BadUsage& error) {
      if (!problem) problem = error;
    }
  }
  throw problem.value();
}

}  // namespace

std::vector<InterfaceAddress> choose_addresses(const std::vector<RankAddresses>& ranks, const TcpOptions& options) {
  const auto& own = ranks.front();
  const bool one_host = std::all_of(ranks.begin(), ranks.end(), [&](const auto& r) { return r.host == own.host; });
  if (const auto names = split_at_commas(options.interface); names.size() > 1) return in_turn(ranks, names);
  for (const auto& candidate : own.addresses) {
    if (options.interface.empty() && candidate.loopback != one_host) continue;
    if (auto chosen = first_of_each(ranks, [&](const auto& a) { return same_subnet(a, candidate); })) return *chosen;
  }
  // If the user names an interface, the hosts may be connected by routers.
  if (!options.interface.empty()) {
    for (const auto& candidate : own.addresses) {
      if (auto chosen = first_of_each(ranks, [&](const auto& a) { return a.family == candidate.family; }))
        return *chosen;
    }
  }
  const auto is_loopback = [](const InterfaceAddress& address) { return address.loopback; };
  if (one_host && options.interface.empty() && std::none_of(own.addresses.begin(), own.addresses.end(), is_loopback))
    throw BadUsage(fmt::format(
        "all ranks are on {} and meet over its loopback, which is down or has no address{}: run ip link set lo up, or "
        "give an interface with --set tcp.interface=. The host has {}",
        own.host, options.family == "any" ? "" : " of --set tcp.family=" + options.family, list(own.addresses)));
  std::string text =
      "the hosts share no subnet; give an interface or a wider subnet with --set tcp.interface=. Addresses:";
  std::set<std::string> named;
  for (const auto& rank : ranks) {
    if (named.insert(rank.host).second) text += fmt::format("\n  {}: {}", rank.host, list(rank.addresses));
  }
  throw BadUsage(text);
}

}  // namespace ringmark
