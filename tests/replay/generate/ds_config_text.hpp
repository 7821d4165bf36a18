// A ds_config as text, for tests.
#pragma once

#include <cstdint>
#include <string>

#include "base/errors.hpp"
#include "replay/generate/ds_config.hpp"

namespace ringmark::replay {

inline DsConfig read_config(const std::string& text, std::uint64_t hidden = 0) {
  return ds_config_from_json("ds.json", text, Framework{}, hidden, 4);
}

/// Empty if the text is read.
inline std::string config_refusal(const std::string& text) {
  try {
    read_config(text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

}  // namespace ringmark::replay
