// Megatron-LM's command line, read from a file.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"

namespace ringmark::replay::megatron {

struct Arguments {
  Settings settings;
  std::vector<std::string> notes;  ///< on arguments that are unknown, or whose effect is left out
};

/// One argument or more on a line, as after pretrain_gpt.py; `ranks` are all ranks. Throws BadUsage with the arguments
/// that are wrong, that are missing, or that change the step in a way that is not modelled.
Arguments read_arguments(const std::string& file, int ranks);
Arguments read_arguments(const std::string& file, const std::string& text, int ranks);

}  // namespace ringmark::replay::megatron
