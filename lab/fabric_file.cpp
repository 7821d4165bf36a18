#include "lab/fabric_file.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"
#include "lab/network.hpp"

namespace ringmark::lab {
namespace {

constexpr std::uint64_t most_fabric_bytes = 1 << 20;

class FabricReader {
 public:
  FabricReader(const std::string& path, const std::string& text) : reader_(path) {
    const auto root = read_yaml(path, text);
    for (const auto& [key, value, line] :
         reader_.map("the fabric", root,
                     {"leaves", "spines", "hosts_per_leaf", "rails", "rate", "uplink", "burst", "links", "faults"})) {
      if (key == "leaves") fabric_.leaves = reader_.number<int>(key, value, 1, most_leaves);
      if (key == "spines") fabric_.spines = reader_.number<int>(key, value, 1, most_spines);
      if (key == "hosts_per_leaf") fabric_.hosts_per_leaf = reader_.number<int>(key, value, 1, most_hosts);
      if (key == "rails") fabric_.rails = reader_.number<int>(key, value, 1, most_rails);
      if (key == "rate") fabric_.rate = rate(key, value);
      if (key == "uplink") fabric_.uplink = rate(key, value);
      if (key == "burst") fabric_.burst_bytes = burst(value);
      if (key == "links") {
        for (const auto& link : reader_.map(key, value)) fabric_.links[link.key] = rate(link.key, link.value);
      }
      if (key == "faults") take_faults(key, value);
    }
  }

  FabricReading result() && { return {std::move(fabric_), reader_.problems()}; }

 private:
  Rate rate(const std::string& key, const YAML::Node& value) {
    const auto rate = parse_rate(reader_.text(key, value));
    if (!rate) reader_.problem(value, "{}: {} is not a rate; give {}", key, YamlReader::shown(value), allowed_rates);
    return rate.value_or(Rate{});
  }

  std::optional<std::uint32_t> burst(const YAML::Node& value) {
    const auto bytes = parse_burst(reader_.text("burst", value));
    if (!bytes) reader_.problem(value, "burst: {} is not {}", YamlReader::shown(value), allowed_bursts);
    return bytes;
  }

  void take_faults(const std::string& key, const YAML::Node& value) {
    for (const auto& text : reader_.texts(key, value)) {
      if (const auto fault = parse_fault(text)) {
        fabric_.faults.push_back(*fault);
      } else {
        reader_.problem(value, "{}: {} is not a fault; give {}", key, text, allowed_faults);
      }
    }
  }

  YamlReader reader_;
  FabricFile fabric_;
};

}  // namespace

FabricReading read_fabric(const std::string& path) {
  try {
    return FabricReader(path, whole_file(path, "--fabric " + path, most_fabric_bytes)).result();
  } catch (const BadUsage& error) {
    return {{}, error.problems()};
  }
}

}  // namespace ringmark::lab
