// The file of `ringmark-sweep tune-run`: a training step, the machines that run it, a budget, and what may change.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweeps/file/overrides.hpp"
#include "sweeps/file/sweep.hpp"
#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {

/// The three steps of the method, in their order.
enum class Part { collective, strategy, framework };
inline constexpr Part all_parts[]{Part::collective, Part::strategy, Part::framework};
std::string_view name(Part part);

/// Values of each setting that may change, by the setting's name; nullopt: the usual ones; an empty map: nothing may
/// change.
using Changes = std::optional<std::map<std::string, std::vector<std::string>>>;

struct TrainingRun {
  std::string file;                                     ///< for messages
  std::string model, trace;                             ///< one of them
  std::string ds_config;                                ///< empty: flags describe the step
  std::map<std::string, Value> step, compute, network;  ///< flags of ringmark-replay, without dashes
  std::optional<std::uint64_t> global_batch;            ///< samples of all ranks in a step; nullopt: those of the step
  Sweep base;  ///< launcher, ranks, hosts, fixed arguments and environment, deadlines and seed of every launch
  std::optional<std::vector<Variable>> collective;  ///< nullopt: the transport's usual ones
  Changes strategy, framework;
  std::optional<int> budget_launches;
  std::optional<std::chrono::milliseconds> budget_time;
  std::optional<int> verify;  ///< launches of each setting at the end
  std::map<std::string, int> lines;

  int line_of(const std::string& key) const;
};

/// The keys of the file, for --help.
std::span<const SweepKey> all_training_run_keys();

/// Paths in the text are relative to `file`. Throws BadUsage with every problem, in line order.
TrainingRun read_training_run(const std::string& text, const std::string& file, const Overrides& overrides);

}  // namespace ringmark::sweep
