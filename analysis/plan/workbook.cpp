#include "analysis/plan/workbook.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <xlsxwriter.h>

#include "analysis/plan/formulas.hpp"
#include "results/provenance.hpp"
#include "results/write_file.hpp"

namespace ringmark::analysis {
namespace {

lxw_row_t row_of(std::size_t index) { return static_cast<lxw_row_t>(index); }
lxw_col_t column_of(std::size_t index) { return static_cast<lxw_col_t>(index); }

class Workbook {
 public:
  Workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows)
      : path_(path), scenario_(scenario), rows_(rows) {
    lxw_workbook_options options{};
    book_ = workbook_new_opt(path.c_str(), &options);
    if (book_ == nullptr) throw std::runtime_error(fmt::format("cannot write {}", path));
    const auto make = [&] { return workbook_add_format(book_); };
    heading_ = make();
    format_set_bold(heading_);
    format_set_text_wrap(heading_);
    format_set_bottom(heading_, LXW_BORDER_THIN);
    bold_ = make();
    format_set_bold(bold_);
    input_ = make();
    format_set_bg_color(input_, 0xFFF4CC);
    format_set_border(input_, LXW_BORDER_THIN);
    format_set_num_format(input_, "#,##0.####");
    plain_ = make();
    format_set_num_format(plain_, "#,##0.####");
    whole_ = make();
    format_set_num_format(whole_, "#,##0");
  }

  ~Workbook() {
    if (book_ != nullptr) lxw_workbook_free(book_);
  }
  Workbook(const Workbook&) = delete;

  void write() {
    assumptions();
    best_sheet();
    results();
    sources();
    if (const auto error = workbook_close(std::exchange(book_, nullptr)); error != LXW_NO_ERROR) {
      throw std::runtime_error(fmt::format("cannot write {}: {}", path_, lxw_strerror(error)));
    }
  }

 private:
  lxw_worksheet* sheet(const char* name) {
    auto* made = workbook_add_worksheet(book_, name);
    if (made == nullptr) throw std::runtime_error(fmt::format("cannot make the sheet {}", name));
    return made;
  }
  static void text(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                   lxw_format* format = nullptr) {
    worksheet_write_string(where, row_of(row), column_of(column), words.c_str(), format);
  }

  /// With the value that it has now; nothing is an empty text.
  static void formula(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                      const std::optional<double>& value, lxw_format* format) {
    if (value) {
      worksheet_write_formula_num(where, row_of(row), column_of(column), words.c_str(), format, *value);
    } else {
      worksheet_write_formula_str(where, row_of(row), column_of(column), words.c_str(), format, "");
    }
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
  std::string assume(const std::string& what, const std::string& of, double value, const char* unit,
                     const std::string& note = "") {
    const auto name = unique_name(what, of);
    text(assumptions_, line_, 0, of.empty() ? what : what + ", " + of);
    worksheet_write_number(assumptions_, row_of(line_), 1, value, input_);
    restrict_input(unit);
    text(assumptions_, line_, 2, unit);
    text(assumptions_, line_, 3, note);
    ++line_;
    if (workbook_define_name(book_, name.c_str(), fmt::format("=Assumptions!$B${}", line_).c_str()) != LXW_NO_ERROR) {
      throw std::runtime_error(fmt::format("cannot name a cell {}", name));
    }
    return name;
  }
  /// What would break the formulas cannot be typed.
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
    worksheet_data_validation_cell(assumptions_, row_of(line_), 1, &rule);
  }
  void title(const std::string& words) {
    ++line_;
    text(assumptions_, line_++, 0, words, bold_);
  }

  void assumptions() {
    assumptions_ = sheet("Assumptions");
    worksheet_set_column(assumptions_, 0, 0, 34, nullptr);
    worksheet_set_column(assumptions_, 1, 1, 18, nullptr);
    worksheet_set_column(assumptions_, 2, 2, 16, nullptr);
    worksheet_set_column(assumptions_, 3, 3, 70, nullptr);
    text(assumptions_, line_++, 0, scenario_.question.empty() ? "Plan" : scenario_.question, bold_);
    text(assumptions_, line_++, 0, "Change what is yellow; all other sheets follow.");
    if (scenario_.replay)
      text(assumptions_, line_++, 0,
           "Steps are the replayer's (replay_factor) while the times that they rest on are the scenario's. Where you "
           "change one, its rows are arithmetic, and their replay_factor is 1: run plan again for the replayer's.");
    title("Training");
    cells_.tokens = assume("tokens", "", scenario_.tokens, "tokens");
    cells_.sequence = assume("sequence", "", scenario_.sequence, "tokens");
    cells_.overlap = assume("overlap", "", scenario_.overlap, "share",
                            "of the computation beside it that communication can hide behind");
    cells_.bucket = assume("bucket_elements", "", scenario_.bucket_elements, "elements", "reduce_bucket_size");
    cells_.recompute = assume("recompute", "", scenario_.recompute ? 1 : 0, "0 or 1",
                              "activations are computed again in the backward pass");
    cells_.scatter = assume("reduce_scatter", "", scenario_.reduce_scatter ? 1 : 0, "0 or 1",
                            "gradients of stages 1 and 2; 0 is the all_reduce that DeepSpeed issues");
    title("Numbers of nodes");
    for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
      cells_.nodes.push_back(assume("nodes", std::to_string(i + 1), scenario_.nodes[i], "nodes"));
    }
    title("Models");
    for (const auto& model : scenario_.models) {
      cells_.models.push_back({assume("parameters", model.name, model.parameters, "elements"),
                               assume("layers", model.name, model.layers, ""),
                               assume("hidden", model.name, model.hidden, "elements"),
                               assume("vocabulary", model.name, model.vocabulary, "tokens"),
                               assume("gather_ratio", model.name, model.gather_ratio, "",
                                      "stage 3: how often parameters are gathered in a micro-step")});
    }
    title("Clusters");
    for (const auto& c : scenario_.clusters) {
      cells_.clusters.push_back(
          {assume("gpus_per_node", c.name, c.gpus_per_node, "GPUs"),
           assume("peak_TFLOPS", c.name, c.peak_TFLOPS, "1e12 / s"),
           assume("efficiency", c.name, c.efficiency, "share", "of the peak that training reaches"),
           assume("memory_GB", c.name, c.memory_GB, "1e9 B"),
           assume("reserve_GB", c.name, c.reserve_GB, "1e9 B", "for the framework and fragmentation"),
           assume("price_per_GPU_hour", c.name, c.price_per_GPU_hour, "money"),
           assume("power_kW_per_GPU", c.name, c.power_kW_per_GPU, "kW"),
           assume("intra_alpha_us", c.name, c.intra.alpha_us, "µs", c.intra.source),
           assume("intra_GBps", c.name, c.intra.GBps, "1e9 B / s", "busbw within a node; " + c.intra.source),
           assume("network_alpha_us", c.name, c.network.alpha_us, "µs", c.network.source),
           assume("network_GBps", c.name, c.network.GBps, "1e9 B / s", "busbw between nodes; " + c.network.source)});
    }
  }

  void results() {
    using namespace result_column;
    auto* results = sheet("Results");
    worksheet_freeze_panes(results, first_result_line - 1, nodes);
    const char* given[]{"model", "cluster", "stage", "micro_batch", "accumulation"};
    for (std::size_t c = 0; c < std::size(given); ++c) text(results, 0, c, given[c], heading_);
    worksheet_set_column(results, 0, 1, 16, nullptr);
    worksheet_set_column(results, 2, column_of(beyond_fit), 13, nullptr);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& row = rows_[i];
      const std::size_t line = i + first_result_line - 1;
      text(results, line, model, scenario_.models[row.model].name);
      text(results, line, cluster, scenario_.clusters[row.cluster].name);
      worksheet_write_number(results, row_of(line), stage, row.stage, whole_);
      worksheet_write_number(results, row_of(line), micro_batch, row.micro_batch, whole_);
      worksheet_write_number(results, row_of(line), accumulation, row.accumulation, whole_);
      std::size_t column = nodes;
      for (const auto& cell : result_cells(scenario_, cells_, rows_, i)) {
        if (i == 0) {
          text(results, 0, column, cell.name, heading_);
          text(results, 1, column, cell.unit);
        }
        formula(results, line, column++, cell.formula, cell.value, plain_);
      }
    }
  }

  void best_sheet() {
    auto* best = sheet("Best");
    worksheet_set_column(best, 0, 60, 16, nullptr);
    const auto all = [&](std::size_t column) { return result_range(column, rows_.size()); };
    struct Table {
      const char* title;
      std::size_t column;
      double PlanRow::*value;
      bool is_least;
    };
    std::size_t top = 0;
    for (const Table& table : {Table{"days", result_column::days, &PlanRow::days, true},
                               Table{"cost", result_column::cost, &PlanRow::cost, true},
                               Table{"tokens_per_s", result_column::tokens_per_s, &PlanRow::tokens_per_s, false}}) {
      text(best, top, 0, fmt::format("{} of the best configuration that fits, by nodes", table.title), bold_);
      text(best, top + 1, 0, "nodes", heading_);
      auto* chart = workbook_add_chart(book_, LXW_CHART_LINE);
      chart_title_set_name(chart, table.title);
      chart_axis_set_name(chart->x_axis, "nodes");
      chart_axis_set_log_base(chart->y_axis, 10);  // where nothing fits there is no point, not a zero
      std::size_t column = 1;
      for (std::size_t m = 0; m < scenario_.models.size(); ++m) {
        for (std::size_t c = 0; c < scenario_.clusters.size(); ++c, ++column) {
          const auto& model = scenario_.models[m].name;
          const auto& cluster = scenario_.clusters[c].name;
          text(best, top + 1, column, model + ", " + cluster, heading_);
          for (std::size_t n = 0; n < scenario_.nodes.size(); ++n) {
            const auto line = top + 2 + n;
            worksheet_write_formula_num(best, row_of(line), 0, ("=" + cells_.nodes[n]).c_str(), whole_,
                                        scenario_.nodes[n]);
            const auto words = fmt::format(
                "=IF(COUNTIFS({0},\"{1}\",{2},\"{3}\",{4},$A{5},{6},1)=0,\"\",_xlfn.{7}({8},{0},\"{1}\",{2},\"{3}\",{4}"
                ",$A{5},{6},1))",
                all(result_column::model), model, all(result_column::cluster), cluster, all(result_column::nodes),
                line + 1, all(result_column::fits), table.is_least ? "MINIFS" : "MAXIFS", all(table.column));
            std::optional<double> value;
            for (const auto& row : rows_) {
              if (!row.fits || row.model != m || row.cluster != c || row.nodes_index != n) continue;
              const double each = row.*table.value;
              if (!value || (table.is_least ? each < *value : each > *value)) value = each;
            }
            formula(best, line, column, words, value, plain_);
          }
          const auto last = top + 1 + scenario_.nodes.size();
          auto* series = chart_add_series(chart, nullptr, nullptr);
          chart_series_set_categories(series, "Best", row_of(top + 2), 0, row_of(last), 0);
          chart_series_set_values(series, "Best", row_of(top + 2), column_of(column), row_of(last), column_of(column));
          chart_series_set_name(series, (model + ", " + cluster).c_str());
          chart_series_set_marker_type(series, LXW_CHART_MARKER_AUTOMATIC);
        }
      }
      worksheet_insert_chart(best, row_of(top), column_of(column + 1), chart);
      constexpr std::size_t chart_rows = 17;
      top += std::max(scenario_.nodes.size() + 4, chart_rows);
    }
  }

  void sources() {
    auto* sources = sheet("Sources");
    worksheet_set_column(sources, 0, 1, 20, nullptr);
    worksheet_set_column(sources, 2, 2, 110, nullptr);
    text(sources, 0, 0, "cluster", heading_);
    text(sources, 0, 1, "path", heading_);
    text(sources, 0, 2, "alpha and rate", heading_);
    std::size_t line = 1;
    for (const auto& cluster : scenario_.clusters) {
      for (const auto& [path, cost] :
           {std::pair{"within a node", &cluster.intra}, std::pair{"between nodes", &cluster.network}}) {
        text(sources, line, 0, cluster.name);
        text(sources, line, 1, path);
        text(sources, line++, 2, cost->source);
      }
    }
    text(sources, ++line, 0, fmt::format("Made {} by ringmark {}", now_utc(), version()));
  }

  const std::string& path_;
  const Scenario& scenario_;
  const std::vector<PlanRow>& rows_;
  lxw_workbook* book_ = nullptr;
  lxw_worksheet* assumptions_ = nullptr;
  lxw_format *heading_ = nullptr, *bold_ = nullptr, *input_ = nullptr, *plain_ = nullptr, *whole_ = nullptr;
  std::size_t line_ = 0;
  std::set<std::string> names_;
  CellNames cells_;
};

}  // namespace

void write_workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows) {
  replace_file(path, [&](const std::string& part) { Workbook(part, scenario, rows).write(); });
}

}  // namespace ringmark::analysis
