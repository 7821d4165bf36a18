// torchtitan's configuration, read from a file.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/torchtitan/settings.hpp"

namespace ringmark::replay::torchtitan {

struct Arguments {
  Settings settings;
  std::vector<std::string> notes;  ///< on keys that are unknown, or whose effect is left out
};

/// `ranks` is the number of all ranks. Throws BadUsage with the keys that are wrong, that are missing, or that change
/// the step in a way that is not modelled.
Arguments read_arguments(const std::string& file, int ranks);
Arguments read_arguments(const std::string& file, const std::string& text, int ranks);

/// The pipeline schedule that PyTorch calls by this name. Throws BadUsage with the known names.
Schedule schedule_named(const std::string& name);

}  // namespace ringmark::replay::torchtitan
