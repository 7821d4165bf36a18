#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/text_table.hpp"
#include "replay/predict/predicted_step.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "replay/step/step_table.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

void refuse_other_options(const PredictOptions& options, const RoleTrace& trace) {
  const auto refuse = [](bool is_given, const char* flag, const char* remedy) {
    if (is_given)
      throw BadUsage(Problem{.flag = flag, .text = "is not supported for steps with roles", .remedy = remedy});
  };
  refuse(options.links.burst_bytes > 0, "--burst", "leave it out");
  refuse(!options.parallel && options.ranks && *options.ranks != trace.ranks, "--ranks",
         "generate the step for that number of ranks");
}

double sent_bytes(const RoleTrace& trace, const Role& role) {
  double sum = 0;
  for (const auto& play : role.plays) {
    for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events) {
      if (is_call(event)) sum += wire_bytes(event, trace.groups[static_cast<std::size_t>(event.group)].size());
    }
  }
  return sum;
}

class PredictedRoleStep final : public PredictedStep {
 public:
  PredictedRoleStep(const PredictOptions& options, RoleTrace trace)
      : PredictedStep(options, computations_of(trace)),
        trace_(std::move(trace)),
        computations_(computations_of(trace_)) {
    refuse_other_options(options, trace_);
    options.compute.scale_sizes(trace_);
    scene_ = {.durations_us = durations_us(trace_, model()),
              .ranks_per_node = options.ranks_per_node.value_or(usual_ranks_per_node),
              .contention = contention(),
              .slow_down = options.compute.slow_down,
              .jitter = options.jitter_percent / 100,
              .keeps_timelines = !options.timeline.empty()};
  }

  const StepTrace& computations() const override { return computations_; }
  int ranks() const override { return trace_.ranks; }
  StepFamily family() const override { return family_of(trace_, model()); }
  bool has_roles() const override { return true; }
  bool has_groups_within_nodes() const override {
    return std::any_of(trace_.groups.begin(), trace_.groups.end(), [&](const RankGroup& group) {
      return group.size() > 1 && group.members(0).back() < scene_.ranks_per_node;
    });
  }
  const std::vector<MemoryPart>& memory() const override { return trace_.fullest_role().memory; }
  std::string memory_owner() const override { return trace_.roles.size() > 1 ? trace_.fullest_role().name : ""; }

  RepeatableStep repeatable(const Links& links) const override {
    auto scene = scene_;
    scene.keeps_timelines = false;
    return replay::repeatable(trace_, std::move(scene), links);
  }

  void simulate(Network& network) override { simulation_ = replay::simulate(trace_, scene_, network); }
  double total_us() const override { return simulation_.total_us; }

  std::string table() const override {
    auto text = fmt::format("{} on {} ranks: predicted {:.3f} ms a step", trace_.id, trace_.ranks, total_us() / 1e3);
    if (const auto rate = throughput(computations_, trace_.ranks, total_us()); !rate.empty()) text += ", " + rate;
    std::vector<std::vector<std::string>> lines{
        {"role", ">total (ms)", ">computation", ">communication exposed", ">hidden", ">bubble"}};
    const auto ms = [](double us) { return fmt::format("{:.3f}", us / 1e3); };
    for (std::size_t at = 0; at < trace_.roles.size(); ++at) {
      const auto& times = simulation_.roles[at];
      lines.push_back({simulation_.slowest_rank ? fmt::format("{}, rank {}", trace_.roles[at].name, times.rank)
                                                : trace_.roles[at].name,
                       ms(times.total_us), ms(times.computation_us), ms(times.exposed_us), ms(times.hidden_us),
                       ms(times.bubble_us)});
    }
    text += "\n\n" + print_table(std::move(lines));
    if (simulation_.slowest_rank) text += fmt::format("rank {} computes the longest\n", *simulation_.slowest_rank);
    return text + fmt::format("sent per rank: at most {}\n", readable_bytes(most_sent_bytes()));
  }

  JsonRow parts() const override {
    JsonRow roles = JsonRow::array();
    const RoleTimes* busiest = nullptr;
    for (std::size_t at = 0; at < trace_.roles.size(); ++at) {
      const auto& times = simulation_.roles[at];
      if (busiest == nullptr || times.computation_us > busiest->computation_us) busiest = &times;
      auto role = parts_of(times);
      role["role"] = trace_.roles[at].name;
      role["memory_bytes"] = total_bytes(trace_.roles[at].memory);
      roles.push_back(std::move(role));
    }
    auto row = parts_of(*busiest);
    row["sent_bytes"] = most_sent_bytes();
    row["slowest_rank"] = simulation_.slowest_rank ? JsonRow(*simulation_.slowest_rank) : JsonRow();
    row["roles"] = std::move(roles);
    return row;
  }

  /// Adds the slowest rank of each role.
  void add_to(TimelineFile& file) const override {
    for (std::size_t at = 0; at < trace_.roles.size(); ++at) {
      const auto& times = simulation_.roles[at];
      file.add(times.rank, played_by(trace_, trace_.roles[at]), times.timeline);
    }
  }

 private:
  static JsonRow parts_of(const RoleTimes& times) {
    return {{"computation_ms", times.computation_us / 1e3},
            {"exposed_ms", times.exposed_us / 1e3},
            {"hidden_ms", times.hidden_us / 1e3},
            {"bubble_ms", times.bubble_us / 1e3}};
  }

  double most_sent_bytes() const {
    double most = 0;
    for (const auto& role : trace_.roles) most = std::max(most, sent_bytes(trace_, role));
    return most;
  }

  RoleTrace trace_;
  StepTrace computations_;
  RoleScene scene_;
  RoleSimulation simulation_;
};

}  // namespace

std::unique_ptr<PredictedStep> predicted_role_step(const PredictOptions& options, RoleTrace trace) {
  return std::make_unique<PredictedRoleStep>(options, std::move(trace));
}

}  // namespace ringmark::replay
