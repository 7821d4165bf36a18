// Reads a sweep's YAML file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

struct SweepFile {
  Sweep sweep;
  std::vector<Problem> problems;  ///< in line order, each with its line; the sweep is valid only if there are none
};

struct SweepKey {
  std::string_view name, meaning;
};
/// The keys of a file, in the order in which people write them.
std::span<const SweepKey> all_sweep_keys();

/// The maximum size of a sweep file.
constexpr std::uint64_t most_sweep_bytes = 1U << 20U;

/// `name` is the file's path: messages show it, and paths in the text are relative to it. Bad text never throws.
SweepFile read_sweep(const std::string& text, const std::string& name);

}  // namespace ringmark::sweep
