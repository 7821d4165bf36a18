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

/// The file has one or more arguments on a line, as after pretrain_gpt.py; `ranks` is the number of all ranks. Throws
/// BadUsage with the arguments that are wrong, that are missing, or that change the step in a way that is not modelled.
Arguments read_arguments(const std::string& file, int ranks);
Arguments read_arguments(const std::string& file, const std::string& text, int ranks);

}  // namespace ringmark::replay::megatron
