// Surfaces that are known exactly: what tuning finds on them can be judged.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sweeps/file/plan.hpp"
#include "sweeps/tune/tuner.hpp"

namespace ringmark::sweep::synthetic {

inline Variable ordered(const std::string& name, const std::vector<int>& values, bool with_unset) {
  Variable variable{name, target_of(name), {}, true, 1, {}};
  if (with_unset) variable.values.emplace_back(std::nullopt);
  for (const int value : values) variable.values.emplace_back(std::to_string(value));
  return variable;
}

inline Variable categorical(const std::string& name, const std::vector<std::string>& values, bool with_unset) {
  Variable variable{name, target_of(name), {}, false, 1, {}};
  if (with_unset) variable.values.emplace_back(std::nullopt);
  for (const auto& value : values) variable.values.emplace_back(value);
  return variable;
}

/// Indices of a setting's values → time without noise; nothing where it fails.
using Truth = std::function<std::optional<double>(const std::vector<std::size_t>&)>;

struct Synthetic {
  std::string name;
  Sweep sweep;
  Truth truth;
  double noise;  ///< standard deviation of a launch's logarithm
};

/// 5 × 7 × 4 × 3 = 420 settings of four variables.
inline Sweep four_variables() {
  Sweep sweep{.question = "synthetic", .programs = {Program::all_reduce}};
  sweep.variables = {
      ordered("tcp.sockets", {1, 2, 4, 8}, true), ordered("tcp.slice", {1, 4, 16, 64, 256, 1024, 4096}, false),
      categorical("algorithm", {"ring", "halving", "tree"}, true), ordered("tcp.spin", {0, 50, 500}, false)};
  return sweep;
}

inline std::vector<Synthetic> synthetic_surfaces() {
  const auto interacting = [](const std::vector<std::size_t>& at) -> std::optional<double> {
    // The best slice depends on the number of sockets, and the algorithm on both.
    const double sockets = at[0] == 0 ? 0 : static_cast<double>(at[0]) - 1;
    const double slice = static_cast<double>(at[1]);
    const double algorithm[]{0.05, 0, 0.12, 0.3};
    return 100 * std::exp(0.04 * std::pow(slice - 2 - sockets, 2) + 0.03 * std::pow(sockets - 2, 2) + algorithm[at[2]] +
                          0.02 * static_cast<double>(at[3]) * (at[2] == 1 ? -1 : 1));
  };
  const auto plateau = [](const std::vector<std::size_t>& at) -> std::optional<double> {
    // Nothing changes but in a corner.
    const bool corner = at[0] >= 3 && at[1] >= 4 && at[2] != 3;
    return corner ? 80.0 - 3 * static_cast<double>(at[3]) : 100.0;
  };
  const auto infeasible = [interacting](const std::vector<std::size_t>& at) -> std::optional<double> {
    // The library refuses many sockets with large slices, and one algorithm at all.
    if (at[2] == 3 || at[0] * at[1] > 15) return std::nullopt;
    return interacting(at);
  };
  const auto flat = [](const std::vector<std::size_t>&) -> std::optional<double> { return 100.0; };
  return {{"interactions", four_variables(), interacting, 0.01},
          {"noise", four_variables(), interacting, 0.03},
          {"plateaus", four_variables(), plateau, 0.01},
          {"infeasible", four_variables(), infeasible, 0.02},
          {"flat", four_variables(), flat, 0.02}};
}

struct Tuned {
  Outcome outcome;
  double regret;  ///< how much slower than the best the choice truly is: 0.02 is 2 %
};

/// Tunes with a share of the evaluations that the whole grid would need, and chooses as a user would.
inline Tuned tune_synthetic(const Synthetic& surface, Search search, std::uint64_t seed, double share) {
  const Plan plan(surface.sweep);
  const Space space(surface.sweep, plan);
  Tuning tuning{.search = search, .budget_launches = static_cast<int>(share * static_cast<double>(plan.size()))};
  std::mt19937_64 random(seed * 77 + 5);
  std::normal_distribution<double> normal(0, surface.noise);
  double best = INFINITY;
  for (std::size_t point = 0; point < plan.size(); ++point)
    best = std::min(best, surface.truth(plan.indices(point)).value_or(INFINITY));
  Tuned tuned{tune(
                  tuning, space, seed, {},
                  [&](Phase, std::size_t point) {
                    const auto truth = surface.truth(plan.indices(point));
                    return Trial{point, truth ? std::optional(*truth * std::exp(normal(random))) : std::nullopt};
                  },
                  [] { return 0.0; }),
              INFINITY};
  if (tuned.outcome.winner)
    tuned.regret = surface.truth(plan.indices(*tuned.outcome.winner)).value_or(INFINITY) / best - 1;
  return tuned;
}

}  // namespace ringmark::sweep::synthetic
