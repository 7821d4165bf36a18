#include "lab/host_flags.hpp"

#include <limits>

#include "lab/duration.hpp"

namespace ringmark::lab {

void HostFlags::declare(const std::string& flag, const std::string& type, std::string allowed, Apply apply,
                        const std::string& meaning) {
  const auto read = [this, flag, separator = type[std::string_view("HOST").size()], allowed = std::move(allowed),
                     apply = std::move(apply)](const std::string& word) -> std::string {
    const auto at = word.find(separator);
    int host = 0;
    if (at == std::string::npos || !read_number(word.substr(0, at), 0, std::numeric_limits<int>::max(), host) ||
        !apply(host, word.substr(at + 1)))
      return "give " + allowed;
    named_.push_back({flag, word, host});
    return {};
  };
  flags_.repeatable(flag, type, read, meaning);
}

void HostFlags::declare_cuts(TakeCut take) {
  declare(
      "--cut", "HOST@TIME", fmt::format("HOST@TIME, such as 2@3s; a time is {}", allowed_durations),
      [take = std::move(take)](int host, const std::string& rest) {
        const auto after = parse_duration(rest);
        if (after) take(host, *after);
        return after.has_value();
      },
      "take a host's links down this long after the command starts, such as 2@3s");
}

void HostFlags::check(int hosts) {
  for (const auto& [flag, word, host] : named_) {
    if (host >= hosts) flags_.add_problem({flag, word, fmt::format("give a host from 0 to {}", hosts - 1)});
  }
}

}  // namespace ringmark::lab
