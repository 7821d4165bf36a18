#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/assumption_lines.hpp"
#include "analysis/plan/sheets.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::analysis {
namespace {

class Assumptions : AssumptionLines {
 public:
  Assumptions(Sheet sheet, const Scenario& scenario, const VariantsSheet& variants)
      : AssumptionLines(sheet), scenario_(scenario), variants_(variants) {
    constexpr double widths[]{44, 16, 12, 12, 18, 44, 24, 44};
    for (std::size_t column = 0; column < std::size(widths); ++column) sheet.set_width(column, column, widths[column]);
  }

  CellNames write() {
    text(scenario_.question.empty() ? "Plan" : scenario_.question, Style::bold);
    text(
        "Change the yellow cells; all other sheets follow. In 5 % of cases the value is below low, in 5 % above high; "
        "without them it is certain.");
    heading();
    money();
    for (const auto& cluster : scenario_.clusters) running(cluster);
    cells_.changes = changes();
    title("Inputs of the simulation; to change them, run plan again");
    step();
    for (const auto& cluster : scenario_.clusters) hardware(cluster);
    text("");
    text(fmt::format("Made {} by ringmark {}", now_utc(), version()));
    return std::move(cells_);
  }

 private:
  void money() {
    title("Training");
    cells_.tokens = assume({"tokens", "tokens", given()}, scenario_.tokens);
    cells_.utilisation = assume({"utilisation", "share", source("utilisation", "assumed")}, scenario_.utilisation);
    cells_.deadline = assume({"deadline_days", "days", source("deadline_days", "none"), "0: none"},
                             scenario_.deadline_days.value_or(0));
    cells_.start = assume_day({"start", "day", source("start", "none"), "empty: none"},
                              scenario_.start ? std::optional(day_number(*scenario_.start)) : std::nullopt);
    if (scenario_.has_prices())
      cells_.budget =
          assume({"budget", scenario_.currency, source("budget", "none"), "0: none"}, scenario_.budget.value_or(0));
    cells_.certainty = assume({"certainty", "probability", source("certainty", "assumed"),
                               "of meeting the deadline, and of meeting the budget"},
                              scenario_.certainty);
  }

  /// A cluster's running costs, failures and choice of hardware.
  void running(const Cluster& c) {
    title(c.name);
    auto& cells = cells_.clusters.emplace_back();
    const auto& failures = c.failures;
    const auto input = [&](const char* key, double value, const std::string& unit, const std::string& otherwise,
                           const std::string& note = "") {
      return assume({key, unit, source(c, key, otherwise), note}, value, c.name);
    };
    if (!c.purchase && scenario_.has_prices()) {
      cells.price = assume({"price_per_GPU_hour", scenario_.currency, source(c, "price_per_GPU_hour", "none")},
                           c.price_per_GPU_hour, c.price_range, c.name, cells.price_ends);
    }
    cells.power = input("power_kW_per_GPU", c.power_kW_per_GPU, "kW",
                        c.device ? datasheet(c) + ", without the rest of the node" : "none");
    if (c.reserved) reserve(c, cells);
    if (c.purchase) {
      purchase(c, cells);
      cells.price_ends = {cells.price, cells.price};
    }
    if (scenario_.has_prices())
      cells.has_price = c.reserved ? fmt::format("AND(ISNUMBER({}),ISNUMBER({}))", cells.price, cells.reserved_price)
                                   : fmt::format("ISNUMBER({})", cells.price);
    cells.spare_GPUs = fmt::format(
        "{}*{}", input("spare_nodes", c.spare_nodes, "nodes", "none", "cost money but do not train"), c.gpus_per_node);
    cells.mtbf_hours =
        assume({"node_mtbf_hours", "hours", source(c, "node_mtbf_hours", "none"), "0: nodes do not fail"},
               failures.node_mtbf_hours, failures.mtbf_range, c.name, cells.mtbf_ends);
    cells.write_s = input("checkpoint_write_s", failures.checkpoint_write_s, "s", "none");
    cells.restart_s = input("restart_s", failures.restart_s, "s", "none");
    cells.interval_s = input("checkpoint_interval_s", failures.checkpoint_interval_s.value_or(0), "s", "computed",
                             "0: Daly's optimum");
    if (c.next) cells.next_price = "0";
    if (c.next && scenario_.has_prices())
      cells.next_price = assume({"next_price_per_GPU_hour", scenario_.currency, given(), c.next->device.name},
                                c.next->price_per_GPU_hour, c.next->price_range, c.name, cells.next_price_ends);
    auto choices = variants_.names();
    if (variants_.next_device() && !c.next) choices.pop_back();
    cells.hardware = choose({"hardware", "", "", "what if? Steps with each choice are simulated"}, c.name, choices);
  }

  void reserve(const Cluster& c, CellNames::Cluster& cells) {
    const auto& reserved = *c.reserved;
    cells.reserved_GPUs = fmt::format(
        "{}*{}",
        assume({"reserved_nodes", "nodes", reserved.nodes > 0 ? given() : "none", "paid for only while they are used"},
               reserved.nodes, c.name),
        c.gpus_per_node);
    cells.reserved_share = assume({"reserved_share", "share", reserved.share > 0 ? given() : "none",
                                   "of the nodes that are paid for, in addition to reserved nodes"},
                                  reserved.share, c.name);
    cells.reserved_price = assume({"reserved_price_per_GPU_hour", scenario_.currency, given(), "of reserved nodes"},
                                  reserved.price_per_GPU_hour, c.name);
  }

  /// The price per GPU-hour follows from the purchase.
  void purchase(const Cluster& c, CellNames::Cluster& cells) {
    const auto input = [&](const char* key, double value, const std::string& unit, const std::string& note) {
      return assume({key, unit, given(), note}, value, c.name);
    };
    cells.price_per_GPU = input("price_per_GPU", c.purchase->price_per_GPU, scenario_.currency,
                                "with its share of the node, network and room");
    cells.years = input("years", c.purchase->years, "years", "straight-line depreciation, always in use");
    cells.electricity =
        input("electricity_per_kWh", c.purchase->electricity_per_kWh, scenario_.currency + " per kWh", "");
    cells.PUE = input("PUE", c.purchase->PUE, "ratio", "of the site's power to that of its GPUs");
    const auto hour = fmt::format("{}/({}*{})+{}*{}*{}", cells.price_per_GPU, cells.years, hours_per_year, cells.power,
                                  cells.PUE, cells.electricity);
    cells.price =
        compute({"price_per_GPU_hour", scenario_.currency, "computed", "follows from the purchase"},
                fmt::format("=IF(AND(ISNUMBER({}),ISNUMBER({}),N({})>0,ISNUMBER({})),{},{})", cells.price_per_GPU,
                            cells.electricity, cells.years, cells.PUE, hour, quoted("give a price")),
                c.price_per_GPU_hour, c.name);
  }

  void step() {
    state({"framework", "", source("framework", "assumed")}, scenario_.framework.text());
    state({"software", "", source("software", "assumed")}, software_words());
    if (scenario_.has_roles())
      state({"parallelism", "", "searched, unless given"},
            fmt::format("distributed optimizer, gradients in {}; sequence parallelism where there is tensor "
                        "parallelism; communication overlaps computation",
                        name(scenario_.reduce_type)));
    else
      deepspeed();
    if (const auto words = center_words(scenario_); !words.empty())
      state({"median", "", "assumed", "of measured over predicted time"}, words);
    state({"sequence", "tokens", source("sequence", "assumed")}, scenario_.sequence);
    if (scenario_.global_batch)
      state({"global_batch_sequences", "sequences", given(), "the accumulation follows from them"},
            *scenario_.global_batch);
    for (const auto& model : scenario_.models) {
      title(model.name);
      for (const auto& [words, value] :
           {std::pair{"parameters", model.parameters}, {"layers", model.layers}, {"width", model.hidden}}) {
        state(words, {"", "", "the model's own"}, value);
      }
    }
  }

  void deepspeed() {
    state({"overlap_comm", "", source("overlap_comm", "DeepSpeed's default"), "DeepSpeed's, in all stages if given"},
          !scenario_.overlaps   ? "only in ZeRO 3"
          : *scenario_.overlaps ? "yes"
                                : "no");
    state({"bucket_elements", "elements", source("bucket_elements", "DeepSpeed's default")}, scenario_.bucket_elements);
    state({"reduce_scatter", "", source("reduce_scatter", "DeepSpeed's default"), "no: by all_reduce"},
          scenario_.reduce_scatter ? "yes" : "no");
  }

  void hardware(const Cluster& c) {
    title(c.name);
    const auto device = c.device ? datasheet(c) : "assumed";
    state({"gpus_per_node", "GPUs", source(c, "gpus_per_node", "assumed")}, c.gpus_per_node);
    state({"device", "", c.device ? given() : "none"}, c.device ? c.device->name : "described by its peak");
    state({"peak_TFLOPS", "1e12 operations/s", source(c, "peak_TFLOPS", device)}, c.peak_TFLOPS);
    state({"efficiency", "share",
           source(c, "efficiency", c.device ? "measured steps (docs/evidence/predictions.md)" : "assumed")},
          c.efficiency);
    state({"memory_GB", "1e9 bytes", source(c, "memory_GB", device)}, c.memory_GB);
    state({"reserve_GB", "1e9 bytes", source(c, "reserve_GB", "assumed")}, c.reserve_GB);
    state({"intra_alpha_us", "µs", c.intra.source}, c.intra.alpha_us);
    state({"intra_GBps", "1e9 bytes/s", c.intra.source}, c.intra.GBps, c.intra.GBps_range);
    state({"network_alpha_us", "µs", c.network.source}, c.network.alpha_us);
    state({"network_GBps", "1e9 bytes/s", c.network.source}, c.network.GBps, c.network.GBps_range);
  }

  std::string given() const { return "given in " + scenario_.file; }
  std::string source(const char* key, const std::string& otherwise) const {
    return scenario_.given.contains(key) ? given() : otherwise;
  }
  /// The source of the cluster's own value, or else of the scenario's value for all clusters.
  std::string source(const Cluster& cluster, const char* key, const std::string& otherwise) const {
    return cluster.given.contains(key) ? given() : source(key, otherwise);
  }
  static std::string datasheet(const Cluster& cluster) { return "datasheet of the " + cluster.device->name; }

  std::string software_words() const {
    const auto& software = replay::software_of(scenario_.software_kind());
    const bool is_said = scenario_.software || scenario_.has_roles();
    return fmt::format("{}{}", software.name, is_said ? "" : ", loss not fused");
  }

  const Scenario& scenario_;
  const VariantsSheet& variants_;
  CellNames cells_;
};

}  // namespace

CellNames write_assumptions(Sheet sheet, const Scenario& scenario, const VariantsSheet& variants) {
  return Assumptions(sheet, scenario, variants).write();
}

}  // namespace ringmark::analysis
