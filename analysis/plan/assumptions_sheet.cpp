#include "analysis/plan/assumptions_sheet.hpp"

#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

class Assumptions {
 public:
  Assumptions(Spreadsheet& book, const Scenario& scenario)
      : book_(book), scenario_(scenario), sheet_(book.sheet("Assumptions")) {
    constexpr double widths[]{34, 18, 16, 70};
    for (std::size_t column = 0; column < std::size(widths); ++column)
      Spreadsheet::set_width(sheet_, column, column, widths[column]);
  }

  CellNames write() {
    Spreadsheet::text(sheet_, line_++, 0, scenario_.question.empty() ? "Plan" : scenario_.question, book_.bold());
    Spreadsheet::text(sheet_, line_++, 0, "Change what is yellow; all other sheets follow.");
    if (scenario_.replay)
      Spreadsheet::text(
          sheet_, line_++, 0,
          "Steps are the replayer's (replay_factor) while the times that they rest on are the scenario's. Where you "
          "change one, its rows are arithmetic, and their replay_factor is 1: run plan again for the replayer's.");
    heading();
    training();
    nodes();
    models();
    clusters();
    return std::move(cells_);
  }

 private:
  void training() {
    title("Training");
    cells_.tokens = assume("tokens", "", scenario_.tokens, "tokens");
    cells_.sequence = assume("sequence", "", scenario_.sequence, "tokens");
    state("software", software_words(),
          "how well kernels are fused; fixed in this workbook: plan makes another one for another software");
    cells_.overlap =
        assume("overlap", "", scenario_.overlap, "share",
               "part of the computation behind which communication can hide; above 0, DeepSpeed's overlap_comm is on");
    cells_.bucket = assume("bucket_elements", "", scenario_.bucket_elements, "elements", "reduce_bucket_size");
    cells_.scatter = assume("reduce_scatter", "", scenario_.reduce_scatter ? 1 : 0, "0 or 1",
                            "gradients of stages 1 and 2; 0 is the all_reduce that DeepSpeed issues");
    if (scenario_.global_batch)
      cells_.batch = assume("global_batch_sequences", "", *scenario_.global_batch, "sequences",
                            "sequences of a step; the accumulation follows from them");
    cells_.utilisation =
        assume("utilisation", "", scenario_.utilisation, "share", "part of the days in which the cluster trains");
    cells_.deadline = assume("deadline_days", "", scenario_.deadline_days.value_or(0), "days", "0: none");
    cells_.budget = assume("budget", "", scenario_.budget.value_or(0), scenario_.currency, "0: none");
    cells_.network_times =
        assume("network_times", "", scenario_.network_times, "", "for the worth of a faster network");
    cells_.memory_times = assume("memory_times", "", scenario_.memory_times, "", "for the worth of more memory");
  }

  void nodes() {
    title("Numbers of nodes");
    for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
      cells_.nodes.push_back(assume("nodes", std::to_string(i + 1), scenario_.nodes[i], "nodes"));
    }
  }

  void models() {
    title("Models");
    for (const auto& model : scenario_.models) {
      cells_.models.push_back({assume("parameters", model.name, model.parameters, "elements"),
                               assume("looked_up", model.name, model.looked_up, "elements",
                                      "of the parameters: an embedding that is not tied multiplies nothing"),
                               assume("layers", model.name, model.layers, ""),
                               assume("hidden", model.name, model.hidden, "elements"),
                               assume("vocabulary", model.name, model.vocabulary, "tokens"),
                               assume("gather_ratio", model.name, model.gather_ratio, "",
                                      "stage 3: how often parameters are gathered in a micro-step")});
    }
  }

  void clusters() {
    title("Clusters");
    for (const auto& c : scenario_.clusters) {
      cells_.clusters.push_back(
          {assume("gpus_per_node", c.name, c.gpus_per_node, "GPUs"),
           assume("peak_TFLOPS", c.name, c.peak_TFLOPS, "1e12 / s"),
           assume("efficiency", c.name, c.efficiency, "share",
                  c.device ? "part of the peak that the device's matrix products reach"
                           : "part of the peak that training reaches"),
           assume("memory_GB", c.name, c.memory_GB, "1e9 B"),
           assume("reserve_GB", c.name, c.reserve_GB, "1e9 B", "for the framework and fragmentation"),
           assume("price_per_GPU_hour", c.name, c.price_per_GPU_hour, scenario_.currency),
           assume("power_kW_per_GPU", c.name, c.power_kW_per_GPU, "kW"),
           assume("intra_alpha_us", c.name, c.intra.alpha_us, "µs", c.intra.source),
           assume("intra_GBps", c.name, c.intra.GBps, "1e9 B / s", "busbw within a node; " + c.intra.source),
           assume("network_alpha_us", c.name, c.network.alpha_us, "µs", c.network.source),
           assume("network_GBps", c.name, c.network.GBps, "1e9 B / s", "busbw between nodes; " + c.network.source),
           assume("node_mtbf_hours", c.name, c.failures.node_mtbf_hours, "hours",
                  "between two failures of a node; 0: nodes do not fail"),
           assume("checkpoint_write_s", c.name, c.failures.checkpoint_write_s, "s"),
           assume("restart_s", c.name, c.failures.restart_s, "s"),
           assume("checkpoint_interval_s", c.name, c.failures.checkpoint_interval_s.value_or(0), "s",
                  "time of training between two checkpoints; 0: Daly's optimum"),
           c.next ? assume("next_price_per_GPU_hour", c.name, c.next->price_per_GPU_hour, scenario_.currency,
                           "with " + c.next->device.name)
                  : ""});
    }
  }

  std::string software_words() const {
    const auto& software = replay::software_of(scenario_.software.value_or(replay::usual_software));
    return fmt::format("{}{}", software.name, scenario_.software ? "" : ", loss not fused");
  }

  /// A line that formulas do not follow.
  void state(const std::string& what, const std::string& words, const std::string& note) {
    Spreadsheet::text(sheet_, line_, 0, what);
    Spreadsheet::text(sheet_, line_, 1, words);
    Spreadsheet::text(sheet_, line_++, 3, note);
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
    restrict_input(unit);
    Spreadsheet::text(sheet_, line_, 2, unit);
    Spreadsheet::text(sheet_, line_, 3, note);
    ++line_;
    book_.define_name(name, fmt::format("=Assumptions!$B${}", line_));
    return name;
  }
  /// Refuses input that would break the formulas.
  void restrict_input(std::string_view unit) {
    const bool is_switch = unit == "0 or 1";
    lxw_data_validation rule{};
    if (is_switch || unit == "nodes" || unit == "GPUs") {
      rule.validate = LXW_VALIDATION_TYPE_INTEGER;
      rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
      rule.minimum_number = is_switch ? 0 : 1;
      rule.maximum_number = is_switch ? 1 : 1 << 20;
    } else {
      rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
      rule.criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN_OR_EQUAL_TO;
      rule.value_number = 0;
    }
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
  lxw_worksheet* sheet_;
  std::size_t line_ = 0;
  std::set<std::string> names_;
  CellNames cells_;
};

}  // namespace

CellNames write_assumptions(Spreadsheet& book, const Scenario& scenario) { return Assumptions(book, scenario).write(); }

}  // namespace ringmark::analysis
