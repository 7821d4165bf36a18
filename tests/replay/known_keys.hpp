// The keys of other programs' configuration files, as list_known_keys.py found them in their source.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ringmark::testing_support {

struct KnownKey {
  std::string section, key;  ///< of a config.json, the section is the model's type; empty is what all have
};

/// `file` is ds_config or config.json.
inline std::vector<KnownKey> known_keys(const std::string& file) {
  std::ifstream in(std::string(RINGMARK_REPLAY_FILES) + "/known_keys.txt");
  std::vector<KnownKey> keys;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string of;
    KnownKey known;
    if (words >> of >> known.section >> known.key && of == file) keys.push_back(known);
  }
  for (auto& each : keys) {
    if (each.section == "-") each.section.clear();
  }
  return keys;
}

}  // namespace ringmark::testing_support
