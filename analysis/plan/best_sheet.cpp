#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analysis/plan/results_sheet.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t most_series = 6;  // more lines in a chart cannot be distinguished

/// A number of the best configuration, for the sheet Best.
struct BestNumber {
  const char* name;
  const char* column;  ///< of the sheet Results
  double PlanRow::*value;
  bool is_least;
};
constexpr BestNumber best_numbers[]{{"days", "days", &PlanRow::days, true},
                                    {"cost", "cost", &PlanRow::cost, true},
                                    {"tokens per second", "tokens_per_s", &PlanRow::tokens_per_s, false}};

/// One number of one model, by number of nodes and cluster; cells are empty if no configuration fits.
class BestTable {
 public:
  BestTable(Sheet sheet, const Planned& planned, std::size_t model, const BestNumber& number)
      : sheet_(sheet), planned_(planned), model_(model), number_(number) {}

  /// Returns the line after the table and its chart.
  std::size_t write(std::size_t top) {
    constexpr std::size_t lines_of_chart = 18;
    const auto nodes = fitting_nodes();
    const auto& clusters = planned_.scenario.clusters;
    const std::size_t first = top + 2;
    sheet_.text(top, 0, title() + " of the best configuration that fits, by nodes", Style::bold);
    sheet_.make_high(top + 1);
    sheet_.text(top + 1, 0, "nodes", Style::heading);
    for (std::size_t c = 0; c < clusters.size(); ++c)
      sheet_.text(top + 1, 1 + c, clusters[c].name, Style::number_heading);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      sheet_.number(first + i, 0, planned_.scenario.nodes[nodes[i]], Style::whole);
      for (std::size_t c = 0; c < clusters.size(); ++c)
        sheet_.formula(first + i, 1 + c, formula(clusters[c].name, first + i), value_of(c, nodes[i]),
                       number_.value == &PlanRow::days ? Style::tenth : Style::whole);
    }
    if (nodes.empty()) return first + 1;
    write_chart(top, first, nodes);
    return top + std::max(nodes.size() + 4, lines_of_chart);
  }

 private:
  std::string title() const {
    return fmt::format("{}: {}", planned_.scenario.models[model_].name,
                       number_.value == &PlanRow::cost ? fmt::format("cost ({})", planned_.scenario.currency)
                                                       : std::string(number_.name));
  }

  std::optional<double> value_of(std::size_t cluster, std::size_t nodes_index) const {
    std::optional<double> value;
    for (const auto* row : planned_.simulated) {
      if (row->model != model_ || row->cluster != cluster || row->nodes_index != nodes_index) continue;
      const double each = row->*number_.value;
      if (!value || is_better(each, *value)) value = each;
    }
    return value;
  }
  bool is_better(double a, double b) const { return number_.is_least ? a < b : a > b; }

  std::vector<std::size_t> fitting_nodes() const {
    std::vector<std::size_t> fitting;
    for (std::size_t n = 0; n < planned_.scenario.nodes.size(); ++n) {
      const auto is_of = [&](const PlanRow* row) { return row->model == model_ && row->nodes_index == n; };
      if (std::any_of(planned_.simulated.begin(), planned_.simulated.end(), is_of)) fitting.push_back(n);
    }
    return fitting;
  }

  /// For the number of nodes in column A of the line.
  std::string formula(const std::string& cluster_name, std::size_t line) const {
    const auto all = [&](const char* column) {
      return column_range("Results", result_column(column), first_result_line,
                          first_result_line + planned_.simulated.size() - 1);
    };
    const auto conditions =
        fmt::format("{},{},{},{},{},$A{}", all("model"), quoted(planned_.scenario.models[model_].name), all("cluster"),
                    quoted(cluster_name), all("nodes"), line + 1);
    return fmt::format("=IF(COUNTIFS({0})=0,\"\",_xlfn.{1}({2},{0}))", conditions,
                       number_.is_least ? "MINIFS" : "MAXIFS", all(number_.column));
  }

  /// The clusters with the best values, in the scenario's order.
  std::vector<std::size_t> charted(const std::vector<std::size_t>& nodes) const {
    std::vector<std::pair<double, std::size_t>> best;
    for (std::size_t c = 0; c < planned_.scenario.clusters.size(); ++c) {
      std::optional<double> of_cluster;
      for (const auto n : nodes) {
        const auto value = value_of(c, n);
        if (value && (!of_cluster || is_better(*value, *of_cluster))) of_cluster = value;
      }
      if (of_cluster) best.emplace_back(number_.is_least ? *of_cluster : -*of_cluster, c);
    }
    std::sort(best.begin(), best.end());
    best.resize(std::min(best.size(), most_series));
    std::vector<std::size_t> clusters;
    for (const auto& each : best) clusters.push_back(each.second);
    std::sort(clusters.begin(), clusters.end());
    return clusters;
  }

  void write_chart(std::size_t top, std::size_t first, const std::vector<std::size_t>& nodes) {
    auto* chart = sheet_.book().line_chart();
    chart_title_set_name(chart, title().c_str());
    chart_axis_set_name(chart->x_axis, "nodes");
    chart_axis_set_num_format(chart->y_axis, "#,##0.##");
    std::vector<double> numbers;
    const auto row = [](std::size_t index) { return static_cast<lxw_row_t>(index); };
    const auto last = row(first + nodes.size() - 1);
    const auto clusters = charted(nodes);
    for (const auto c : clusters) {
      for (const auto n : nodes) {
        if (const auto value = value_of(c, n)) numbers.push_back(*value);
      }
      auto* series = chart_add_series(chart, nullptr, nullptr);
      const auto column = static_cast<lxw_col_t>(1 + c);
      chart_series_set_categories(series, "Best", row(first), 0, last, 0);
      chart_series_set_values(series, "Best", row(first), column, last, column);
      const auto& name = planned_.scenario.clusters[c].name;
      chart_series_set_name(series, (name.starts_with('=') ? " " + name : name).c_str());
      chart_series_set_marker_type(series, LXW_CHART_MARKER_AUTOMATIC);
    }
    set_axis(chart->y_axis, numbers, clusters.size() * nodes.size());
    constexpr double chart_height = 1.1;
    sheet_.insert_chart(top, planned_.scenario.clusters.size() + 2, chart, chart_height);
  }

  /// Starts at zero, or is logarithmic if numbers differ by more than a decade, or if some are missing, since these
  /// would be drawn as zeros.
  static void set_axis(lxw_chart_axis* axis, const std::vector<double>& numbers, std::size_t places) {
    if (numbers.empty()) return;
    constexpr double decade = 10;
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    const bool is_linear = numbers.size() == places && *most <= decade * *least;
    if (!is_linear) chart_axis_set_log_base(axis, 10);
    chart_axis_set_min(axis, is_linear ? 0 : std::pow(decade, std::floor(std::log10(std::max(*least, 1e-9)))));
  }

  Sheet sheet_;
  const Planned& planned_;
  std::size_t model_;
  const BestNumber& number_;
};

}  // namespace

void write_best(Sheet sheet, const Planned& planned) {
  constexpr std::size_t widest = 60;
  sheet.set_width(0, widest, 16);
  std::size_t top = 0;
  std::vector<lxw_row_t> ends;
  for (std::size_t model = 0; model < planned.scenario.models.size(); ++model) {
    for (const auto& number : best_numbers) {
      if (number.value == &PlanRow::cost && !planned.scenario.has_prices()) continue;
      top = BestTable(sheet, planned, model, number).write(top);
    }
    ends.push_back(static_cast<lxw_row_t>(top));
  }
  // A model's charts are on one page.
  ends.back() = 0;  // ends the list
  worksheet_set_h_pagebreaks(sheet.raw(), ends.data());
  worksheet_fit_to_pages(sheet.raw(), 1, static_cast<uint16_t>(planned.scenario.models.size()));
}

}  // namespace ringmark::analysis
