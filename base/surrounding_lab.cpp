#include "base/surrounding_lab.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"

namespace ringmark {
namespace {

template <class Value>
void read(const char* variable, const char* key, Value& value) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  try {
    const auto json = parse_json(variable, text);
    value = (key == nullptr ? json : json.at(key)).get<Value>();
  } catch (const nlohmann::json::exception&) {
    throw BadUsage(fmt::format("{}: not a value that ringmark-lab sets; unset it", variable));
  }
}

}  // namespace

std::optional<Lab> surrounding_lab() {
  Lab lab;
  read(lab_fabric_variable, "hosts", lab.hosts);
  read(lab_links_variable, nullptr, lab.links);
  if (lab.hosts.empty() && lab.links.empty()) return std::nullopt;
  return lab;
}

std::optional<double> link_bits_per_s(const Lab& lab, const std::string& host) {
  const auto own = std::find_if(lab.links.begin(), lab.links.end(),
                                [&](const LabLink& link) { return link.hosts == std::vector{host}; });
  return own == lab.links.end() ? std::nullopt : std::optional(own->bits_per_s);
}

}  // namespace ringmark
