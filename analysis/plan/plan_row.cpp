#include "analysis/plan/plan_row.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/searched.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/operator_time.hpp"

namespace ringmark::analysis {
namespace {

constexpr double hours_per_day = 24, seconds_per_day = 86400;

replay::StepFamily family_of(const Scenario& scenario, std::size_t model, const StateSharding& sharding) {
  using Roles = replay::StepFamily::Roles;
  const auto* transformer = scenario.models[model].transformer.get();
  if (scenario.has_roles() && transformer != nullptr)
    return {.software = scenario.software_kind(),
            .framework = scenario.framework.text(),
            .products = scenario.products,
            .roles = transformer->experts.count > 0 ? Roles::experts : Roles::dense};
  replay::StepSettings settings;
  settings.framework = scenario.framework;
  set_sharding(settings, sharding);
  return {.software = scenario.software_kind(),
          .framework = scenario.framework.text(),
          .zero_stage = settings.zero_stage,
          .products = scenario.products};
}

/// 90 % interval of measured over predicted time; nothing without a device.
std::optional<Interval> errors_of(const Scenario& scenario, const PlanRow& row) {
  const auto& device = scenario.clusters[row.cluster].device;
  if (!device) return std::nullopt;
  return replay::interval_of(family_of(scenario, row.model, row.sharding()), *device, scenario.compared);
}

}  // namespace

replay::StepSettings step_settings(const Scenario& scenario, const PlanRow& row) {
  replay::StepSettings settings;
  settings.framework = scenario.framework;
  set_sharding(settings, row.sharding());
  settings.ranks = static_cast<int>(row.ranks);
  settings.ranks_per_node = static_cast<int>(scenario.clusters[row.cluster].gpus_per_node);
  settings.micro_steps = std::max(1, row.accumulation);
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.recompute = row.recompute;
  settings.overlap_comm = scenario.framework.kind == replay::Framework::Kind::deepspeed &&
                          scenario.overlaps.value_or(replay::usual_overlap_comm(row.stage));
  settings.scatter_gradients = scenario.reduce_scatter && (row.stage == 1 || row.stage == 2);
  settings.reduce_bucket = static_cast<std::uint64_t>(scenario.bucket_elements);
  settings.software = scenario.software;
  return settings;
}

replay::megatron::Settings role_settings(const Scenario& scenario, const PlanRow& row) {
  auto settings = settings_of(*scenario.models[row.model].transformer, row.parallelism);
  settings.ranks = static_cast<int>(row.ranks);
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.global_batch = settings.micro_batch * static_cast<std::uint64_t>(settings.data_parallel()) *
                          static_cast<std::uint64_t>(std::max(1, row.accumulation));
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.gradient_type = scenario.reduce_type;
  settings.has_float8 = scenario.products == replay::ProductType::float8;
  settings.recompute = row.recompute;
  settings.recomputes_uniformly = row.recompute.first_layers == 0;
  return settings;
}

replay::MemoryShape memory_shape(const ModelShape& model, const replay::Recompute& recompute) {
  using enum replay::Recompute::Kind;
  const auto some = static_cast<double>(recompute.first_layers);
  return {.parameters = model.parameters,
          .trained = model.parameters,
          .outside_layers = 2 * model.vocabulary * model.hidden,
          .layers = model.layers,
          .hidden = model.hidden,
          .heads = model.heads,
          .vocabulary = model.vocabulary,
          .recomputed = recompute.kind != full ? 0
                        : some > 0             ? some / model.layers
                                               : 1,
          .core_recomputed = recompute.kind == selective ? 1.0 : 0.0,
          .eager_kept = model.eager_kept};
}

replay::ComparedSteps compared_steps(const Scenario& scenario) {
  replay::ComparedSteps compared;
  for (const auto& cluster : scenario.clusters) {
    for (const int stage : scenario.stages) {
      for (std::size_t model = 0; model < scenario.models.size(); ++model) {
        const auto family = family_of(scenario, model, {stage, 0});
        if (cluster.device) compared.add(family, *cluster.device);
        if (cluster.next) compared.add(family, cluster.next->device);
      }
    }
  }
  return compared;
}

std::string interval_words(const Scenario& scenario, const Cluster& cluster) {
  const auto family = family_of(scenario, 0, {scenario.stages.front(), 0});
  return replay::describe_interval(family, *cluster.device, scenario.compared);
}

std::string center_words(const Scenario& scenario) {
  if (!scenario.compared.share_center()) return "";
  const auto median = replay::median_of(replay::interval_of({}, {}));
  return fmt::format(
      "not all devices and stages have published steps of this kind, so all use the same median, {:.3g} times the "
      "prediction (that of other code): they differ only in predictions and prices",
      median);
}

double median_error(const Scenario& scenario, const PlanRow& row) {
  const auto errors = errors_of(scenario, row);
  return errors ? replay::median_of(*errors) : 1;
}

bool PlanRow::is_divisible() const {
  if (!is_possible) return false;
  if (shard_group > 0 && static_cast<int>(ranks) % shard_group != 0) return false;
  return static_cast<int>(ranks) % parallelism.model_gpus() == 0 &&
         (parallelism.chunks == 1 || accumulation % parallelism.pipeline == 0);
}

void take_place(const Scenario& scenario, RoleSteps& role_steps, PlanRow& row) {
  const auto& cluster = scenario.clusters[row.cluster];
  row.framework = scenario.framework.kind;
  row.fits = false;
  row.ranks = row.nodes * cluster.gpus_per_node;
  if (!row.is_possible) return;
  if (scenario.global_batch) row.accumulation = accumulation_of(*scenario.global_batch, row.copies(), row.micro_batch);
  const auto& model = scenario.models[row.model];
  row.memory_GB =
      (row.has_roles()
           ? role_steps.memory_bytes(*model.transformer, role_settings(scenario, row))
           : replay::total_bytes(replay::memory_of(memory_shape(model, row.recompute), step_settings(scenario, row)))) /
      1e9;
  row.fits = row.accumulation > 0 && row.is_divisible() && row.memory_GB <= cluster.memory_GB - cluster.reserve_GB;
  const auto& path = row.nodes == 1 ? cluster.intra : cluster.network;
  row.is_beyond_fit = path.is_fitted && row.ranks > path.fitted_ranks;
}

void take_costs(const Scenario& scenario, PlanRow& row) {
  const auto& model = scenario.models[row.model];
  const auto& cluster = scenario.clusters[row.cluster];
  const double n = row.ranks, tokens = row.copies() * row.micro_batch * scenario.sequence * row.accumulation;
  const auto errors = errors_of(scenario, row);
  if (errors) {
    row.interval_low_s = row.step_s * errors->low;
    row.interval_high_s = row.step_s * errors->high;
  }
  const double median = errors ? replay::median_of(*errors) : 1;
  row.median_s = row.step_s * median;
  row.tokens_per_s = tokens / row.median_s;
  row.samples_per_s = row.tokens_per_s / scenario.sequence;
  const double operations =
      replay::training_operations_of_a_token(model.multiplied(), model.layers, model.hidden, scenario.sequence);
  row.mfu = row.tokens_per_s * operations / (n * cluster.peak_TFLOPS * 1e12);
  row.goodput = goodput_of(cluster.failures, row.nodes);
  row.days = scenario.tokens / row.tokens_per_s / seconds_per_day / (row.goodput * scenario.utilisation);
  row.price_per_GPU_hour = cluster.average_price(row.nodes, cluster.price_per_GPU_hour);
  const double paid = n + cluster.spare_nodes * cluster.gpus_per_node, gpu_hours = row.days * hours_per_day * paid;
  const auto bought = cluster.purchase.value_or(Purchase{});
  const double site_kilowatts = cluster.power_kW_per_GPU * bought.PUE;
  row.cost = gpu_hours * row.price_per_GPU_hour;
  row.outlay = paid * bought.price_per_GPU;
  row.depreciation = gpu_hours * bought.price_per_GPU / (bought.years * hours_per_year);
  row.electricity = gpu_hours * site_kilowatts * bought.electricity_per_kWh;
  row.of_step = row.of_rates;
  if (errors) row.of_step = row.of_step + cumulants_of({errors->low / median, errors->high / median});
  row.of_days = row.of_step + cumulants_of(failure_range(cluster.failures, row.nodes));
  row.of_cost = row.of_days + cumulants_of(price_range(cluster, row.nodes));
  row.expected_cost = row.cost * spread_of(row.of_cost).mean();
  row.cost_per_Btok = row.cost / (scenario.tokens / 1e9);
  row.energy_MWh = gpu_hours * site_kilowatts / 1000;
}

}  // namespace ringmark::analysis
