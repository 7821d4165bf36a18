#include "transports/bootstrap/unknown_peers.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/with_count.hpp"

namespace ringmark {
namespace {

constexpr int most_refusals_shown = 5;
constexpr std::size_t most_hosts_named = 5;

}  // namespace

std::string UnknownPeers::refuse(std::string_view who, std::string_view why, int missing) {
  if (++refused_ > most_refusals_shown) return "";
  return fmt::format("ringmark: rank 0 refused {}: {}; still waiting for {} ranks\n", who, why, missing);
}

std::string UnknownPeers::summary(bool shares_ports) const {
  std::string text;
  if (refused_ > most_refusals_shown)
    text = fmt::format("ringmark: rank 0 refused {} connections while the ranks met\n", refused_);
  if (shares_ports || silent_.empty()) return text;
  std::vector<std::string> named;
  std::size_t count = 0;
  for (const auto& [host, connections] : silent_) {
    count += connections;
    if (named.size() < most_hosts_named) named.push_back(fmt::format("{} from {}", connections, host));
  }
  return text + fmt::format("ringmark: {} to rank 0 sent nothing while the ranks met: {}{}\n",
                            with_count(count, "connection"), fmt::join(named, ", "),
                            silent_.size() > most_hosts_named ? ", …" : "");
}

}  // namespace ringmark
