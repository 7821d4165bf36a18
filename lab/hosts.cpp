#include "lab/hosts.hpp"

#include <algorithm>

namespace ringmark::lab {

const Host* find_host(const std::vector<Host>& hosts, std::string_view which) {
  const auto is_it = [which](const Host& host) {
    const auto has_it = [which](const Nic& nic) { return which == nic.address || which == nic.address6; };
    return which == host.name || which == std::to_string(host.index) ||
           (!which.empty() && std::any_of(host.nics.begin(), host.nics.end(), has_it));
  };
  const auto found = std::find_if(hosts.begin(), hosts.end(), is_it);
  return found == hosts.end() ? nullptr : &*found;
}

}  // namespace ringmark::lab
