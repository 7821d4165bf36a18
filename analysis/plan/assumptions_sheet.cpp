#include "analysis/plan/assumptions_sheet.hpp"

#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/input_words.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

class Assumptions {
 public:
  Assumptions(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const VariantsSheet& variants)
      : book_(book), scenario_(scenario), variants_(variants), sheet_(sheet) {
    constexpr double widths[]{44, 16, 12, 12, 18, 44, 24, 44};
    for (std::size_t column = 0; column < std::size(widths); ++column)
      Spreadsheet::set_width(sheet_, column, column, widths[column]);
  }

  CellNames write() {
    Spreadsheet::text(sheet_, line_++, 0, scenario_.question.empty() ? "Plan" : scenario_.question, book_.bold());
    Spreadsheet::text(
        sheet_, line_++, 0,
        "Change what is yellow; all other sheets follow. Low and high are not passed in 5 % of cases each; without "
        "them the value is certain.");
    heading();
    money();
    for (const auto& cluster : scenario_.clusters) running(cluster);
    title("Planned with; run plan again to change");
    step();
    for (const auto& cluster : scenario_.clusters) hardware(cluster);
    Spreadsheet::text(sheet_, ++line_, 0, fmt::format("Made {} by ringmark {}", now_utc(), version()));
    return std::move(cells_);
  }

 private:
  static constexpr Interval any{0, 1e300};
  enum Column : std::size_t { in_words, in_value, in_low, in_high, first_words };

  /// A line, by the scenario's key, and where its value comes from.
  struct Line {
    std::string key, unit, source, note{};
  };

  void money() {
    title("Training");
    cells_.tokens = assume({"tokens", "tokens", given()}, scenario_.tokens);
    cells_.utilisation = assume({"utilisation", "share", source("utilisation", "assumed")}, scenario_.utilisation, "",
                                Interval{least_utilisation, 1});
    cells_.deadline = assume({"deadline_days", "days", source("deadline_days", "none"), "0: none"},
                             scenario_.deadline_days.value_or(0));
    cells_.start = start();
    if (scenario_.has_prices())
      cells_.budget =
          assume({"budget", scenario_.currency, source("budget", "none"), "0: none"}, scenario_.budget.value_or(0));
    cells_.certainty = assume({"certainty", "probability", source("certainty", "assumed"),
                               "of meeting the deadline, and of meeting the budget"},
                              scenario_.certainty, "", Interval{least_certainty, most_certainty});
  }

  /// Returns the name of the cell with the day on which training begins, which may be empty.
  std::string start() {
    auto name = unique_name("start", "");
    describe({"start", "day", source("start", "none"), "empty: none"});
    if (scenario_.start)
      Spreadsheet::number(sheet_, line_, in_value, day_number(*scenario_.start), book_.day_input());
    else
      Spreadsheet::text(sheet_, line_, in_value, "", book_.day_input());
    restrict_input({0, 2.5e6});
    ++line_;
    book_.define_name(name, "=Assumptions!" + cell_at(in_value, line_ - 1));
    return name;
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
      cells.price = purchase(c, cells.power);
      cells.price_ends = {cells.price, cells.price};
    }
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
    cells.hardware = choose(c);
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
                                  reserved.share, c.name, Interval{0, 1});
    cells.reserved_price = assume({"reserved_price_per_GPU_hour", scenario_.currency, given(), "of reserved nodes"},
                                  reserved.price_per_GPU_hour, c.name);
  }

  /// Returns the name of the cell with the price per GPU-hour.
  std::string purchase(const Cluster& c, const std::string& power) {
    const auto input = [&](const char* key, double value, const std::string& unit, const std::string& note) {
      return assume({key, unit, given(), note}, value, c.name);
    };
    const auto price = input("price_per_GPU", c.purchase->price_per_GPU, scenario_.currency,
                             "with its share of the node, network and room");
    const auto years = input("years", c.purchase->years, "years", "written off evenly, always in use");
    const auto electricity =
        input("electricity_per_kWh", c.purchase->electricity_per_kWh, scenario_.currency + " per kWh", "");
    const auto effectiveness = input("PUE", c.purchase->PUE, "ratio", "of the site's power to that of its GPUs");
    auto name = unique_name("price_per_GPU_hour", c.name);
    describe({"price_per_GPU_hour", scenario_.currency, "computed", "follows from the purchase"});
    Spreadsheet::formula(
        sheet_, line_, 1,
        fmt::format("={}/({}*{})+{}*{}*{}", price, years, hours_per_year, power, effectiveness, electricity),
        c.price_per_GPU_hour, book_.hundredth());
    ++line_;
    book_.define_name(name, fmt::format("=Assumptions!$B${}", line_));
    return name;
  }

  void step() {
    state({"framework", "", source("framework", "assumed")}, scenario_.framework.text());
    state({"software", "", source("software", "assumed")}, software_words());
    state({"overlap_comm", "", source("overlap_comm", "assumed"), "DeepSpeed's, in all stages"},
          scenario_.overlaps ? "yes" : "no");
    state({"sequence", "tokens", source("sequence", "assumed")}, scenario_.sequence);
    state({"bucket_elements", "elements", source("bucket_elements", "DeepSpeed's default")}, scenario_.bucket_elements);
    state({"reduce_scatter", "", source("reduce_scatter", "DeepSpeed's way"), "no: by all_reduce"},
          scenario_.reduce_scatter ? "yes" : "no");
    if (scenario_.global_batch)
      state({"global_batch_sequences", "sequences", given(), "the accumulation follows from them"},
            *scenario_.global_batch);
    for (const auto& model : scenario_.models) {
      title(model.name);
      for (const auto& [words, value] :
           {std::pair{"parameters", model.parameters}, {"layers", model.layers}, {"width", model.hidden}}) {
        describe(words, {"", "", "the model's own"});
        Spreadsheet::number(sheet_, line_++, 1, value, book_.figure());
      }
    }
  }

  void hardware(const Cluster& c) {
    title(c.name);
    const auto device = c.device ? datasheet(c) : "assumed";
    state({"gpus_per_node", "GPUs", source(c, "gpus_per_node", "assumed")}, c.gpus_per_node);
    state({"device", "", c.device ? given() : "none"}, c.device ? c.device->name : "described by its peak");
    state({"peak_TFLOPS", "1e12 operations/s", source(c, "peak_TFLOPS", device)}, c.peak_TFLOPS);
    state({"efficiency", "share", source(c, "efficiency", c.device ? "measured steps (docs/REPLAY.md)" : "assumed")},
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
  /// A cluster's own, or what the scenario says for all of them.
  std::string source(const Cluster& cluster, const char* key, const std::string& otherwise) const {
    return cluster.given.contains(key) ? given() : source(key, otherwise);
  }
  static std::string datasheet(const Cluster& cluster) { return "datasheet of the " + cluster.device->name; }

  std::string software_words() const {
    const auto& software = replay::software_of(scenario_.software.value_or(replay::usual_software));
    return fmt::format("{}{}", software.name, scenario_.software ? "" : ", loss not fused");
  }

  void describe(const std::string& words, const Line& line) {
    const std::string cells[]{line.unit, line.source, line.key, line.note};
    Spreadsheet::text(sheet_, line_, 0, words);
    for (std::size_t i = 0; i < std::size(cells); ++i)
      Spreadsheet::text(sheet_, line_, first_words + i, cells[i], i == 0 ? book_.indented() : nullptr);
  }
  void describe(const Line& line) { describe(input_words(line.key), line); }
  void state(const Line& line, const std::string& value) {
    describe(line);
    Spreadsheet::text(sheet_, line_++, 1, value);
  }
  void state(const Line& line, double value, const Interval& range = {1, 1}) {
    describe(line);
    if (range.low < 1) Spreadsheet::number(sheet_, line_, in_low, value * range.low, book_.figure());
    if (range.high > 1) Spreadsheet::number(sheet_, line_, in_high, value * range.high, book_.figure());
    Spreadsheet::number(sheet_, line_++, 1, value, book_.figure());
  }

  /// A cell with a choice among the variants of a cluster; returns its name.
  std::string choose(const Cluster& cluster) {
    auto name = unique_name("hardware", cluster.name);
    auto choices = variants_.names();
    if (variants_.next_device() && !cluster.next) choices.pop_back();
    describe({"hardware", "", "", "what if? Steps with each choice are simulated"});
    Spreadsheet::text(sheet_, line_, 1, choices.front(), book_.input());
    Spreadsheet::offer(sheet_, line_, 1, choices);
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

  /// A line with a cell to change; returns its name.
  std::string assume(const Line& line, double now, const std::string& cluster = "",
                     const std::optional<Interval>& allowed = any) {
    auto name = unique_name(line.key, cluster);
    describe(line);
    Spreadsheet::number(sheet_, line_, in_value, now, book_.input());
    if (allowed) restrict_input(*allowed);
    ++line_;
    book_.define_name(name, fmt::format("=Assumptions!$B${}", line_));
    return name;
  }
  /// The same with cells for low and high values, which may be empty.
  std::string assume(const Line& line, double value_now, const Interval& range, const std::string& cluster,
                     CellNames::Ends& ends) {
    const auto likely = assume(line, value_now, cluster, std::nullopt);
    --line_;
    const auto end = [&](Column column, const char* called, double now) {
      auto name = unique_name(fmt::format("{}_{}", line.key, called), cluster);
      if (now == value_now)
        Spreadsheet::text(sheet_, line_, column, "", book_.input());
      else
        Spreadsheet::number(sheet_, line_, column, now, book_.input());
      book_.define_name(name, "=Assumptions!" + cell_at(column, line_));
      return name;
    };
    const auto least = end(in_low, "low", value_now * range.low), most = end(in_high, "high", value_now * range.high);
    keep_order(in_low, constant(any.low), likely);
    keep_order(in_value, fmt::format("N({})", least), fmt::format("IF(N({0})>0,{0},{1})", most, constant(any.high)));
    keep_order(in_high, likely, constant(any.high));
    ++line_;
    ends = {fmt::format("IF(N({0})>0,MIN({0},{1}),{1})", least, likely), fmt::format("MAX(N({}),{})", most, likely)};
    return likely;
  }
  void keep_order(Column column, const std::string& from, const std::string& to) {
    auto least = "=" + from, most = "=" + to;  // the library's texts are not const
    char title[] = "Not in order", message[] = "Give low <= value <= high.";
    lxw_data_validation rule{};
    rule.validate = LXW_VALIDATION_TYPE_DECIMAL_FORMULA;
    rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    rule.minimum_formula = least.data();
    rule.maximum_formula = most.data();
    rule.error_title = title;
    rule.error_message = message;
    worksheet_data_validation_cell(sheet_, static_cast<lxw_row_t>(line_), static_cast<lxw_col_t>(column), &rule);
  }
  /// Refuses input that would break the formulas.
  void restrict_input(const Interval& allowed) {
    lxw_data_validation rule{};
    rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
    rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    rule.minimum_number = allowed.low;
    rule.maximum_number = allowed.high;
    worksheet_data_validation_cell(sheet_, static_cast<lxw_row_t>(line_), in_value, &rule);
  }
  /// On every page.
  void heading() {
    const char* titles[]{"assumption", "value", "low", "high", "unit", "source", "key", "note"};
    for (std::size_t c = 0; c < std::size(titles); ++c)
      Spreadsheet::text(sheet_, line_, c, titles[c],
                        c == first_words                   ? book_.indented_heading()
                        : c == in_words || c > first_words ? book_.heading()
                                                           : book_.number_heading());
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
