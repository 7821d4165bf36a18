// What ringmark-sweep's commands do. Each returns an exit status and throws BadUsage, CannotGoOn, Interrupted or
// std::system_error.
#pragma once

#include <optional>
#include <string>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

int begin(const std::string& path, const std::string& folder, const std::string& command);
int resume(const std::string& folder);
/// Prints every command line and how long it may take.
int dry_run(const std::string& path);
/// The sweeps of a folder with their questions; by default those that come with the program.
int list(const std::string& folder);

struct SurfaceOptions {
  std::string csv;
  std::optional<Search> search;
  std::optional<int> budget_launches;
  std::optional<std::uint64_t> seed;
};
/// Tunes over a recorded grid.
int tune_on_surface(const std::string& path, const SurfaceOptions& options);

}  // namespace ringmark::sweep
