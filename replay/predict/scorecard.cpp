#include "replay/predict/scorecard.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/text_table.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "replay/step/compute_model.hpp"
#include "results/files/json_rows.hpp"

namespace ringmark::replay {
namespace {

constexpr double bytes_per_gibibyte = 1024.0 * 1024 * 1024;

ComputeModel compute_model(const PublishedStep& step, const Device& device) {
  ComputeModel compute{.device = device};
  compute.software = step.software;
  compute.products = step.products;
  return compute;
}

const std::vector<MemoryPart>& memory_of(const AnyTrace& trace) {
  const auto* with_roles = std::get_if<RoleTrace>(&trace);
  return with_roles != nullptr ? with_roles->fullest_role().memory : std::get<StepTrace>(trace).memory;
}

void predict(const PublishedStep& step, const std::optional<Device>& given, ScoredStep& scored) {
  const auto device = device_for(step, given);
  const auto trace = trace_of(step);
  scored.predicted_s = predicted_step_s(trace, step, device);
  const auto factors = interval_of(family_of(trace, step, device), device);
  scored.interval = {factors.low * scored.predicted_s, factors.high * scored.predicted_s};
  scored.memory_GiB = total_bytes(memory_of(trace)) / bytes_per_gibibyte;
  scored.fits = fits(memory_of(trace), device.memory_GiB * bytes_per_gibibyte);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::vector<const ScoredStep*> missed(const std::vector<ScoredStep>& steps) {
  std::vector<const ScoredStep*> result;
  for (const auto& step : steps) {
    if (step.refused.empty() && (!step.is_covered() || !step.fits)) result.push_back(&step);
  }
  std::sort(result.begin(), result.end(),
            [](const auto* a, const auto* b) { return std::abs(a->error()) > std::abs(b->error()); });
  return result;
}

/// The reasons of steps that are not predicted, the most frequent first.
std::string refusals(const std::vector<ScoredStep>& steps) {
  std::map<std::string, std::size_t> counts;
  for (const auto& step : steps) {
    if (!step.refused.empty()) ++counts[step.refused];
  }
  if (counts.empty()) return "";
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::vector<std::string>> lines{{">steps", "not predicted because"}};
  for (const auto& [reason, count] : reasons) lines.push_back({std::to_string(count), reason});
  return "\n" + print_table(std::move(lines));
}

}  // namespace

Device device_for(const PublishedStep& step, const std::optional<Device>& given) {
  if (!given && step.device.empty())
    throw BadUsage(
        Problem{.flag = step.id, .text = "no shipped device matches its GPU", .remedy = "give --device FILE"});
  auto device = given ? *given : load_device(step.device);
  if (!step.power_watts || (given && device.power_watts <= *step.power_watts)) return device;
  return limited_to(*step.power_watts, device, step.id + ": power_watts");
}

double predicted_step_s(const AnyTrace& trace, const PublishedStep& step, const Device& device) {
  require_products(device, step.products, step.id + ": products");
  const auto compute = compute_model(step, device);
  const auto network = make_network(step.links);
  if (const auto* with_roles = std::get_if<RoleTrace>(&trace))
    return simulate(*with_roles, usual_scene(*with_roles, compute, step.links.ranks_per_node), *network).total_us / 1e6;
  const auto& uniform = std::get<StepTrace>(trace);
  Scene scene{.ranks = uniform.ranks, .durations_us = durations_us(uniform, compute)};
  scene.contention = device.knows_operators() ? usual_contention : 0;
  return simulate(uniform, scene, *network).timeline.total_us / 1e6;
}

StepFamily family_of(const AnyTrace& trace, const PublishedStep& step, const Device& device) {
  return std::visit([&](const auto& each) { return family_of(each, compute_model(step, device)); }, trace);
}

std::vector<ScoredStep> score(const std::vector<PublishedStep>& steps, const std::optional<Device>& device) {
  std::vector<ScoredStep> result;
  for (const auto& step : steps) {
    auto& scored = result.emplace_back(ScoredStep{step.id, step.family, step.step_s, 0});
    scored.refused = step.refused;
    if (!step.refused.empty()) continue;
    try {
      predict(step, device, scored);
    } catch (const BadUsage& error) {
      scored.refused = error.what();
    }
  }
  return result;
}

Score score_of(const std::string& family, const std::vector<ScoredStep>& steps) {
  Score score;
  score.family = family;
  score.steps = steps.size();
  std::vector<double> errors, ratios;
  for (const auto& step : steps) {
    errors.push_back(std::abs(step.error()));
    ratios.push_back(step.predicted_s / step.measured_s);
    score.covered += step.is_covered() ? 1 : 0;
    score.called_out_of_memory += step.fits ? 0 : 1;
  }
  std::sort(errors.begin(), errors.end());
  score.median_error = median(errors);
  score.p90_error = errors[static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(errors.size()))) - 1];
  score.worst_error = errors.back();
  score.bias = median(ratios);
  return score;
}

std::vector<Score> scores_of(const std::vector<ScoredStep>& steps) {
  std::map<std::string, std::vector<ScoredStep>> families;
  std::vector<ScoredStep> all;
  for (const auto& step : steps) {
    if (!step.refused.empty()) continue;
    families[step.family].push_back(step);
    all.push_back(step);
  }
  std::vector<Score> scores;
  if (all.empty()) return scores;
  for (const auto& [family, some] : families) scores.push_back(score_of(family, some));
  std::stable_sort(scores.begin(), scores.end(),
                   [](const Score& a, const Score& b) { return a.median_error > b.median_error; });
  scores.push_back(score_of("all", all));
  return scores;
}

std::string print(const std::vector<ScoredStep>& steps) {
  std::vector<std::vector<std::string>> lines{{"family", ">steps", ">median error", ">90 % below", ">worst",
                                               ">predicted/measured", ">in the interval", ">called out of memory"}};
  for (const auto& score : scores_of(steps))
    lines.push_back({score.family, std::to_string(score.steps), percent(score.median_error), percent(score.p90_error),
                     percent(score.worst_error), fmt::format("{:.2f}", score.bias), std::to_string(score.covered),
                     std::to_string(score.called_out_of_memory)});
  const auto misses = missed(steps);
  // A short table is shown in full.
  constexpr std::size_t most_rows = 20;
  std::vector<const ScoredStep*> shown = misses;
  if (steps.size() <= most_rows) {
    for (const auto& step : steps) {
      if (step.refused.empty() && std::find(misses.begin(), misses.end(), &step) == misses.end())
        shown.push_back(&step);
    }
  }
  std::vector<std::vector<std::string>> rows{
      {"step", "family", ">measured (s)", ">predicted (s)", ">interval (s)", ">error", "memory", "missed"}};
  for (std::size_t i = 0; i < shown.size() && i < most_rows; ++i) {
    const auto& step = *shown[i];
    rows.push_back({step.id, step.family, short_number(step.measured_s), short_number(step.predicted_s),
                    fmt::format("{} to {}", short_number(step.interval.low), short_number(step.interval.high)),
                    fmt::format("{:+.1f} %", 100 * step.error()), step.fits ? "fits" : "out of memory",
                    i < misses.size() ? "yes" : "no"});
  }
  auto text = shown.empty() ? std::string("no misses\n") : print_table(std::move(rows));
  if (shown.size() > most_rows) text += fmt::format("… and {} more misses\n", shown.size() - most_rows);
  return text + "\n" + print_table(std::move(lines)) + refusals(steps);
}

std::string to_json(const std::vector<ScoredStep>& steps) {
  std::vector<JsonRow> rows;
  for (const auto& step : steps) {
    const bool is_known = step.refused.empty();
    const auto known = [&](auto value) { return is_known ? JsonRow(value) : JsonRow(); };
    rows.push_back({{"schema", "score/1"},
                    {"id", step.id},
                    {"family", step.family},
                    {"published_s", step.measured_s},
                    {"measured_s", step.measured_s},
                    {"predicted_s", known(step.predicted_s)},
                    {"interval_low_s", known(step.interval.low)},
                    {"interval_high_s", known(step.interval.high)},
                    {"predicted_s_low", known(step.interval.low)},
                    {"predicted_s_high", known(step.interval.high)},
                    {"relative_error", known(step.error())},
                    {"is_covered", known(step.is_covered())},
                    {"memory_GiB", step.memory_GiB ? JsonRow(*step.memory_GiB) : JsonRow()},
                    {"out_of_memory", known(!step.fits)},
                    {"fits_memory", known(step.fits)},
                    {"refused", is_known ? JsonRow() : JsonRow(step.refused)}});
  }
  return json_rows(rows);
}

}  // namespace ringmark::replay
