// What the tuning of a training run found: a result for each step of the method, and for the whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/files/ready_settings.hpp"
#include "sweeps/training/forecast.hpp"
#include "sweeps/training/step_space.hpp"

namespace ringmark::sweep {

/// Equal collectives of a step.
struct IssuedCalls {
  std::string collective, datatype;
  std::uint64_t bytes = 0;  ///< of the full tensor
  std::size_t count = 0;
};
/// Sorted by total bytes, largest first.
std::vector<IssuedCalls> issued_calls(const replay::StepTrace& trace);

struct PartResult {
  Part part;
  std::map<std::string, std::string> chosen = {};  ///< what changes; empty: the default is kept
  Gain gain = {};                                  ///< over the step before
  std::string finding = {};                        ///< in a sentence
  std::size_t candidates = 0;                      ///< including the default
  std::size_t alike = 0, out_of_memory = 0, surely_slower = 0, launches = 0;
  std::vector<std::pair<std::string, std::string>> refused = {};  ///< changes that cannot be made, and why
  std::vector<std::string> needs_patch = {};                      ///< changes that need a patched framework
  std::vector<std::string> undecided = {};  ///< within the errors of predictions; launches have to decide
};

struct TunedPoint {
  std::string name;    ///< default, or the step of the method that it follows
  double step_ms = 0;  ///< 0: the budget ended before it was launched
  std::optional<Interval> interval_ms = {};
  std::optional<double> exposed_ms = {}, samples_per_s = {};
  std::size_t launches = 0;
};

struct Memory {
  double own_bytes = 0, best_bytes = 0;  ///< of a rank; 0: unknown
  double usable_bytes = 0;               ///< of the device; 0: unknown
};

struct TunedRun {
  bool is_predicted = false;
  std::string model, framework;
  int ranks = 1;
  std::uint64_t global_batch = 0;
  std::vector<IssuedCalls> calls;
  std::vector<PartResult> parts;
  std::vector<TunedPoint> waterfall;      ///< the default comes first
  Gain whole;                             ///< of the result over the default
  std::optional<Gain> collective_at_end;  ///< step 1 alone, at the final step
  std::string verdict;
  Memory memory;
  StepDescription own, best;  ///< equal if the default is kept
  ReadySettings ready;
  std::size_t launches = 0;
  double seconds = 0;
  std::string version;
};

/// What a step changes beyond the changes of the step before.
std::map<std::string, std::string> new_changes(const StepDescription& step, const StepDescription& before);

/// "12.3 % faster (10.1 to 14.4)", "no change".
std::string in_words(const Gain& gain);
/// For a terminal.
std::string in_words(const TunedRun& run);
/// tuned-run/1.
nlohmann::ordered_json to_json(const TunedRun& run);
/// One file of HTML.
std::string as_page(const TunedRun& run);

/// A line for each value in which two configurations differ: "zero_optimization.stage: 1 -> 2".
std::vector<std::string> differences(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);
/// Everything that the result changes in the user's own run, one line each.
std::vector<std::string> changes_of(const TunedRun& run);
/// Writes tuned.json, tuned.html, and best/ with the files that are ready to use.
void write_files(const TunedRun& run, const std::string& folder);

extern const std::string_view tuned_run_js;  ///< embedded

}  // namespace ringmark::sweep
