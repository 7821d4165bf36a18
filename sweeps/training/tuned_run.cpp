#include "sweeps/training/tuned_run.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/shell_text.hpp"
#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "base/write_file.hpp"
#include "replay/trace/show.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json& value) { return value.is_null() ? "not set" : value.dump(); }

/// "/zero_optimization/stage" as "zero_optimization.stage".
std::string key_of(const std::string& pointer) {
  auto key = pointer.substr(1);
  std::replace(key.begin(), key.end(), '/', '.');
  return key;
}

std::string tried_words(const PartResult& part) {
  std::vector<std::string> words{with_count(part.candidates, "candidate")};
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) words.push_back(fmt::format("{} {}", count, what));
  };
  add(part.alike, "identical to others");
  add(part.out_of_memory, "out of memory");
  add(part.surely_slower, "predicted slower beyond doubt");
  add(part.launches, "launched");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string memory_words(const Memory& memory) {
  if (memory.best_bytes <= 0) return "";
  auto text = fmt::format("memory of a rank: {}", replay::readable_bytes(memory.best_bytes));
  if (memory.own_bytes != memory.best_bytes)
    text += fmt::format(" instead of {}", replay::readable_bytes(memory.own_bytes));
  if (memory.usable_bytes > 0)
    text += fmt::format("; {} of the usable {} are left",
                        replay::readable_bytes(std::max(0.0, memory.usable_bytes - memory.best_bytes)),
                        replay::readable_bytes(memory.usable_bytes));
  return text + "\n";
}

}  // namespace

std::vector<IssuedCalls> issued_calls(const replay::StepTrace& trace) {
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> counts;
  for (const auto& event : trace.events) {
    if (event.kind == replay::EventKind::collective)
      ++counts[{std::string(name(event.collective)), std::string(name(event.type)),
                event.elements * size_bytes(event.type)}];
  }
  std::vector<IssuedCalls> calls;
  for (const auto& [key, count] : counts)
    calls.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.bytes * a.count > b.bytes * b.count; });
  return calls;
}

std::string in_words(const Gain& gain) {
  if (gain.ratio == 1 && !gain.interval) return "no change";
  return gain.interval ? difference_words(gain.ratio, *gain.interval) : difference_words(gain.ratio);
}

std::map<std::string, std::string> new_changes(const StepDescription& step, const StepDescription& before) {
  std::map<std::string, std::string> changes;
  for (const auto& [name, value] : step.changes) {
    const auto found = before.changes.find(name);
    if (found == before.changes.end() || found->second != value) changes[name] = value;
  }
  return changes;
}

std::string in_words(const TunedRun& run) {
  std::vector<std::vector<std::string>> lines{{run.is_predicted ? "predicted step" : "measured step", ">ms",
                                               ">samples/s", ">exposed ms", "compared with the line above"}};
  for (std::size_t i = 0; i < run.waterfall.size(); ++i) {
    const auto& point = run.waterfall[i];
    const auto figure = [](const std::optional<double>& value) { return value ? short_number(*value) : ""; };
    lines.push_back({point.name, point.step_ms > 0 ? short_number(point.step_ms) : "", figure(point.samples_per_s),
                     figure(point.exposed_ms), i == 0 ? "" : in_words(run.parts[i - 1].gain)});
  }
  auto text = print_table(std::move(lines)) + "\n";
  for (const auto& part : run.parts) {
    text += fmt::format("{}: {}\n  {}\n", name(part.part), part.finding, tried_words(part));
    for (const auto& [change, why] : part.refused) text += fmt::format("  cannot be applied: {}: {}\n", change, why);
    for (const auto& change : part.needs_patch) text += fmt::format("  needs a patched framework: {}\n", change);
    for (const auto& change : part.undecided)
      text += fmt::format("  within the prediction error, to be measured: {}\n", change);
  }
  if (run.collective_at_end)
    text += fmt::format("the settings of step 1 alone, with the final step: {}\n", in_words(*run.collective_at_end));
  text += memory_words(run.memory);
  for (const auto& line : changes_of(run)) text += fmt::format("change {}\n", line);
  return text + run.verdict + "\n";
}

std::vector<std::string> differences(const Json& before, const Json& after) {
  const auto old = before.flatten(), now = after.flatten();
  std::vector<std::string> lines;
  for (const auto& [key, value] : now.items()) {
    const auto found = old.find(key);
    if (found == old.end() || *found != value)
      lines.push_back(
          fmt::format("{}: {} -> {}", key_of(key), shown(found == old.end() ? Json() : *found), shown(value)));
  }
  for (const auto& [key, value] : old.items()) {
    if (!now.contains(key)) lines.push_back(fmt::format("{}: {} -> {}", key_of(key), shown(value), shown(Json())));
  }
  return lines;
}

std::vector<std::string> changes_of(const TunedRun& run) {
  std::vector<std::string> lines;
  if (run.own.ds_config && run.best.ds_config) {
    for (const auto& line : differences(*run.own.ds_config, *run.best.ds_config))
      lines.push_back("ds_config.json: " + line);
  }
  for (const auto& [name, value] : run.best.flags) {
    const auto before = run.own.flags.find(name);
    if (before == run.own.flags.end() || before->second != value)
      lines.push_back(fmt::format("the step: {}={}", name, to_text(value)));
  }
  for (const auto& [name, value] : run.ready.environment) {
    if (value) lines.push_back(fmt::format("environment: {}={}", name, *value));
  }
  for (const auto& argument : run.ready.arguments) lines.push_back("transport: " + argument);
  return lines;
}

void write_files(const TunedRun& run, const std::string& folder) {
  const auto best = folder + "/best";
  std::filesystem::create_directories(best);
  const auto write = [&](const std::string& file, const std::string& text) { write_file(file, text); };
  if (run.best.ds_config) write(best + "/ds_config.json", run.best.ds_config->dump(2) + "\n");
  write(best + "/best.env", best_env(run.ready));
  if (const auto conf = nccl_conf(run.ready); !conf.empty()) write(best + "/nccl.conf", conf);
  std::vector<std::string> flags;
  for (const auto& [name, value] : run.best.flags) {
    if (value) flags.push_back(argument_of(name, *value));
  }
  write(best + "/step_flags", shell_words(flags) + "\n");
  const auto changes = changes_of(run);
  write(best + "/changes.txt", changes.empty() ? "no change\n" : fmt::format("{}\n", fmt::join(changes, "\n")));
  write(folder + "/tuned.json", to_json(run).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  write(folder + "/tuned.html", as_page(run));
}

}  // namespace ringmark::sweep
