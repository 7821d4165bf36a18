#include "sweeps/file/host_file.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/input/host_list.hpp"

namespace ringmark::sweep {
namespace {

struct HostLine {
  std::string names;
  std::optional<int> slots;
};

int slots_in(const std::string& word, const std::string& where) {
  int slots = 0;
  if (!read_number(word, 1, most_slots, slots))
    throw BadUsage(fmt::format("{}: '{}' is not a number of slots from 1 to {}", where, word, most_slots));
  return slots;
}

/// Empty for an empty line or a comment.
std::optional<HostLine> parse_line(std::string line, const std::string& where) {
  line.resize(std::min(line.find('#'), line.size()));
  std::istringstream words(line);
  HostLine parsed;
  if (!(words >> parsed.names)) return std::nullopt;
  // A colon inside brackets or a second one belongs to an IPv6 address, not to a number of slots.
  const auto colon = parsed.names.rfind(':');
  if (colon != std::string::npos && parsed.names.find(':') == colon) {
    parsed.slots = slots_in(parsed.names.substr(colon + 1), where);
    parsed.names.resize(colon);
  }
  constexpr std::string_view slots_key = "slots=";
  for (std::string word; words >> word;) {
    if (word.starts_with(slots_key)) parsed.slots = slots_in(word.substr(slots_key.size()), where);
  }
  return parsed;
}

}  // namespace

void check_host_name(const std::string& name, const std::string& what) {
  if (name.empty() || name.starts_with('-') || name.find_first_of(" \t,;|&$'\"\\") != std::string::npos)
    throw BadUsage(fmt::format("{}: '{}' is not a host name", what, name));
}

std::vector<AllocatedHost> parse_host_file(const std::string& text, const std::string& what) {
  std::vector<AllocatedHost> hosts;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto where = fmt::format("{}:{}", what, ++number);
    const auto parsed = parse_line(line, where);
    if (!parsed) continue;
    for (const auto& name : expand_host_list(parsed->names)) {
      check_host_name(name, where);
      const auto known =
          std::find_if(hosts.begin(), hosts.end(), [&](const AllocatedHost& host) { return host.name == name; });
      if (known == hosts.end()) {
        hosts.push_back({name, parsed->slots});
      } else {
        known->slots = known->slots.value_or(1) + parsed->slots.value_or(1);
      }
    }
  }
  if (hosts.empty()) throw BadUsage(fmt::format("{}: names no hosts; put one host on each line", what));
  return hosts;
}

}  // namespace ringmark::sweep
