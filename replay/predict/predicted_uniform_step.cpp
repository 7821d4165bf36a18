#include <algorithm>
#include <utility>

#include "replay/predict/predicted_step.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/step_table.hpp"

namespace ringmark::replay {
namespace {

class PredictedUniformStep final : public PredictedStep {
 public:
  PredictedUniformStep(const PredictOptions& options, StepTrace trace, int ranks)
      : PredictedStep(options, trace), trace_(std::move(trace)), scene_(scene_of(options, trace_, model(), ranks)) {
    check_groups(trace_, ranks);
    options.compute.scale_sizes(trace_);
    if (ranks != trace_.ranks) trace_.memory.clear();
  }

  const StepTrace& computations() const override { return trace_; }
  int ranks() const override { return scene_.ranks; }
  StepFamily family() const override { return family_of(trace_, model()); }
  bool has_roles() const override { return false; }
  bool has_groups_within_nodes() const override {
    return std::any_of(trace_.groups.begin(), trace_.groups.end(),
                       [](const Group& group) { return group.kind == Group::Kind::block; });
  }
  const std::vector<MemoryPart>& memory() const override { return trace_.memory; }
  std::string memory_owner() const override { return ""; }

  RepeatableStep repeatable(const Links& links) const override { return replay::repeatable(trace_, scene_, links); }

  void simulate(Network& network) override { simulation_ = replay::simulate(trace_, scene_, network); }
  double total_us() const override { return simulation_.timeline.total_us; }
  std::string table() const override { return predicted_table(trace_, scene_.ranks, simulation_); }
  JsonRow parts() const override {
    const auto whole = times_of(trace_, simulation_.timeline).whole();
    return {{"computation_ms", whole.computation_us / 1e3},
            {"exposed_ms", whole.exposed_us / 1e3},
            {"hidden_ms", whole.hidden_us / 1e3},
            {"sent_bytes", step_wire_bytes(trace_, scene_.ranks)},
            {"slowest_rank", simulation_.slowest_rank}};
  }
  void add_to(TimelineFile& file) const override { file.add(simulation_.slowest_rank, trace_, simulation_.timeline); }

 private:
  StepTrace trace_;
  Scene scene_;
  Simulation simulation_;
};

}  // namespace

std::unique_ptr<PredictedStep> predicted_uniform_step(const PredictOptions& options, StepTrace trace, int ranks) {
  return std::make_unique<PredictedUniformStep>(options, std::move(trace), ranks);
}

}  // namespace ringmark::replay
