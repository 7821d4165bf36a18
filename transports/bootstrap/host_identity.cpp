#include "transports/bootstrap/host_identity.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/system/files.hpp"
#include "base/system/host.hpp"

namespace ringmark {
namespace {

constexpr char before_number = '#';  // never part of a host name

}  // namespace

HostIdentity this_host() {
  std::error_code unknown;
  return {host_name(), read_text_if_readable("/proc/sys/kernel/random/boot_id"),
          std::filesystem::read_symlink("/proc/self/ns/net", unknown).string()};
}

std::vector<std::string> distinct_names(const std::vector<HostIdentity>& hosts) {
  std::map<std::string, std::vector<HostIdentity>> by_name;
  std::vector<std::size_t> numbers;
  for (const auto& host : hosts) {
    auto& same = by_name[host.name];
    const auto found = std::find(same.begin(), same.end(), host);
    numbers.push_back(static_cast<std::size_t>(found - same.begin()) + 1);
    if (found == same.end()) same.push_back(host);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& name = hosts[i].name;
    names.push_back(by_name[name].size() == 1 ? name : fmt::format("{}{}{}", name, before_number, numbers[i]));
  }
  return names;
}

std::vector<std::string> shared_names(const std::vector<std::string>& distinct) {
  std::set<std::string> shared;
  for (const auto& name : distinct) {
    if (const auto mark = name.find(before_number); mark != std::string::npos) shared.insert(name.substr(0, mark));
  }
  return {shared.begin(), shared.end()};
}

}  // namespace ringmark
