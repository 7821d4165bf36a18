#include "analysis/plan/assumptions_sheet.hpp"

#include <cctype>
#include <set>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

class Assumptions {
 public:
  Assumptions(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const VariantsSheet& variants)
      : book_(book), scenario_(scenario), variants_(variants), sheet_(sheet) {
    constexpr double widths[]{34, 18, 16, 70};
    for (std::size_t column = 0; column < std::size(widths); ++column)
      Spreadsheet::set_width(sheet_, column, column, widths[column]);
  }

  CellNames write() {
    Spreadsheet::text(sheet_, line_++, 0, scenario_.question.empty() ? "Plan" : scenario_.question, book_.bold());
    Spreadsheet::text(sheet_, line_++, 0, "Change what is yellow; all other sheets follow.");
    heading();
    money();
    clusters();
    fixed();
    return std::move(cells_);
  }

 private:
  void money() {
    title("Training");
    cells_.tokens = assume("tokens", "", scenario_.tokens, "tokens");
    cells_.utilisation =
        assume("utilisation", "", scenario_.utilisation, "share", "part of the days in which the cluster trains");
    cells_.deadline = assume("deadline_days", "", scenario_.deadline_days.value_or(0), "days", "0: none");
    cells_.budget = assume("budget", "", scenario_.budget.value_or(0), scenario_.currency, "0: none");
    cells_.certainty = assume("certainty", "", scenario_.certainty, "share",
                              "probability with which deadline and budget are to be kept");
  }

  void clusters() {
    title("Clusters");
    for (const auto& c : scenario_.clusters) {
      auto& cells = cells_.clusters.emplace_back();
      cells.price = assume("price_per_GPU_hour", c.name, c.price_per_GPU_hour, scenario_.currency);
      cells.power = assume("power_kW_per_GPU", c.name, c.power_kW_per_GPU, "kW");
      cells.mtbf_hours = assume("node_mtbf_hours", c.name, c.failures.node_mtbf_hours, "hours",
                                "between two failures of a node; 0: nodes do not fail");
      cells.write_s = assume("checkpoint_write_s", c.name, c.failures.checkpoint_write_s, "s");
      cells.restart_s = assume("restart_s", c.name, c.failures.restart_s, "s");
      cells.interval_s = assume("checkpoint_interval_s", c.name, c.failures.checkpoint_interval_s.value_or(0), "s",
                                "time of training between two checkpoints; 0: Daly's optimum");
      if (c.next)
        cells.next_price = assume("next_price_per_GPU_hour", c.name, c.next->price_per_GPU_hour, scenario_.currency,
                                  "with " + c.next->device.name);
      cells.hardware = choose("hardware", c.name);
    }
  }

  /// The inputs of the simulation.
  void fixed() {
    title("Planned with; run plan again to change");
    state("framework", scenario_.framework.text());
    state("software", software_words(), "", "how well kernels are fused");
    state("overlap_comm", scenario_.overlaps ? "yes" : "no", "", "DeepSpeed's, in all stages");
    state("sequence", scenario_.sequence, "tokens");
    state("bucket_elements", scenario_.bucket_elements, "elements", "reduce_bucket_size");
    state("reduce_scatter", scenario_.reduce_scatter ? "yes" : "no", "",
          "gradients of stages 1 and 2; no is the all_reduce that DeepSpeed issues");
    if (scenario_.global_batch)
      state("global_batch_sequences", *scenario_.global_batch, "sequences",
            "of a step; the accumulation follows from them");
    for (const auto& model : scenario_.models) {
      state("parameters, " + model.name, model.parameters, "elements");
      state("layers, " + model.name, model.layers, "");
      state("hidden, " + model.name, model.hidden, "elements");
    }
    for (const auto& c : scenario_.clusters) {
      state("gpus_per_node, " + c.name, c.gpus_per_node, "GPUs");
      state("device, " + c.name, c.device ? c.device->name : "given by its peak");
      state("peak_TFLOPS, " + c.name, c.peak_TFLOPS, "1e12 operations/s");
      state("efficiency, " + c.name, c.efficiency, "share",
            c.device ? "part of the peak that the device's long matrix products reach"
                     : "part of the peak that training reaches");
      state("memory_GB, " + c.name, c.memory_GB, "1e9 bytes");
      state("reserve_GB, " + c.name, c.reserve_GB, "1e9 bytes", "for the framework and fragmentation");
      state("intra_alpha_us, " + c.name, c.intra.alpha_us, "µs", c.intra.source);
      state("intra_GBps, " + c.name, c.intra.GBps, "1e9 bytes/s", "of a GPU, each way; " + c.intra.source);
      state("network_alpha_us, " + c.name, c.network.alpha_us, "µs", c.network.source);
      state("network_GBps, " + c.name, c.network.GBps, "1e9 bytes/s", "of a node, each way; " + c.network.source);
    }
  }

  std::string software_words() const {
    const auto& software = replay::software_of(scenario_.software.value_or(replay::usual_software));
    return fmt::format("{}{}", software.name, scenario_.software ? "" : ", loss not fused");
  }

  void state(const std::string& what, const std::string& words, const std::string& unit = "",
             const std::string& note = "") {
    Spreadsheet::text(sheet_, line_, 0, what);
    Spreadsheet::text(sheet_, line_, 1, words);
    Spreadsheet::text(sheet_, line_, 2, unit);
    Spreadsheet::text(sheet_, line_++, 3, note);
  }
  void state(const std::string& what, double value, const std::string& unit, const std::string& note = "") {
    Spreadsheet::text(sheet_, line_, 0, what);
    Spreadsheet::number(sheet_, line_, 1, value, book_.figure());
    Spreadsheet::text(sheet_, line_, 2, unit);
    Spreadsheet::text(sheet_, line_++, 3, note);
  }

  /// A cell with a choice among the variants of a cluster; returns its name.
  std::string choose(const std::string& what, const std::string& of) {
    auto name = unique_name(what, of);
    Spreadsheet::text(sheet_, line_, 0, what + ", " + of);
    Spreadsheet::text(sheet_, line_, 1, variants_.names().front(), book_.input());
    Spreadsheet::offer(sheet_, line_, 1, variants_.names());
    Spreadsheet::text(sheet_, line_, 3, "what if? Steps with each choice are simulated");
    ++line_;
    book_.define_name(name, fmt::format("=Assumptions!$B${}", line_));
    return name;
  }

  /// "price_IB_A100": letters, digits and underscores, unlike any other.
  std::string unique_name(const std::string& what, const std::string& of) {
    auto name = what + (of.empty() ? "" : "_" + of);
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    const auto base = name += "_";  // never like a cell's address
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}{}_", base, i);
    return name;
  }

  /// A line of the sheet of assumptions; returns the name of its cell.
  std::string assume(const std::string& what, const std::string& of, double value, const std::string& unit,
                     const std::string& note = "") {
    auto name = unique_name(what, of);
    Spreadsheet::text(sheet_, line_, 0, of.empty() ? what : what + ", " + of);
    Spreadsheet::number(sheet_, line_, 1, value, book_.input());
    restrict_input();
    Spreadsheet::text(sheet_, line_, 2, unit);
    Spreadsheet::text(sheet_, line_, 3, note);
    ++line_;
    book_.define_name(name, fmt::format("=Assumptions!$B${}", line_));
    return name;
  }
  /// Refuses input that would break the formulas.
  void restrict_input() {
    lxw_data_validation rule{};
    rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
    rule.criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN_OR_EQUAL_TO;
    rule.value_number = 0;
    worksheet_data_validation_cell(sheet_, static_cast<lxw_row_t>(line_), 1, &rule);
  }
  /// On every page.
  void heading() {
    const char* titles[]{"assumption", "value", "unit", "note"};
    for (std::size_t c = 0; c < std::size(titles); ++c) Spreadsheet::text(sheet_, line_, c, titles[c], book_.heading());
    worksheet_repeat_rows(sheet_, static_cast<lxw_row_t>(line_), static_cast<lxw_row_t>(line_));
    ++line_;
  }
  void title(const std::string& words) {
    ++line_;
    Spreadsheet::text(sheet_, line_++, 0, words, book_.bold());
  }

  Spreadsheet& book_;
  const Scenario& scenario_;
  const VariantsSheet& variants_;
  lxw_worksheet* sheet_;
  std::size_t line_ = 0;
  std::set<std::string> names_;
  CellNames cells_;
};

}  // namespace

CellNames write_assumptions(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario,
                            const VariantsSheet& variants) {
  return Assumptions(book, sheet, scenario, variants).write();
}

}  // namespace ringmark::analysis
