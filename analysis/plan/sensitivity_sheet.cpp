#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/plan/sheets.hpp"
#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t first_block = 3, lines_of_chart = 27;
/// Each input needs room for its name.
constexpr double chart_height = 1.6;

class SensitivityTable {
 public:
  /// The charted columns are sorted by formulas; those from `name` on are in the order of the inputs.
  enum Column : std::size_t { rank, input, cost_less, cost_more, move_less, move_more, name, less, more, swing };

  SensitivityTable(Sheet sheet, const Planned& planned, const AnswerCells& answer, std::size_t top)
      : sheet_(sheet),
        variants_(planned.variants),
        scenario_(planned.scenario),
        names_(planned.cells),
        answer_(answer),
        top_(top) {}

  /// `now` in the order of the sheet.
  void write(const std::string& model, const PlanRow& chosen, const std::vector<Sensitivity>& now) {
    sheet_.text(top_, input, title(model), Style::bold);
    sheet_.text(top_ + 1, input, fmt::format("of the answer ({})", spending_unit(scenario_)));
    sheet_.formula(top_ + 1, cost_less, fmt::format("=IFERROR({},\"\")", answered()), value_of(chosen),
                   Style::hundredth);
    const std::string share = fmt::format("{:.0f} %", 100 * sensitivity_change);
    const std::string titles[]{"",
                               "input",
                               "with " + share + " less",
                               "with " + share + " more",
                               "less: moves by",
                               "more: moves by",
                               "in order of inputs",
                               "less",
                               "more",
                               "between both"};
    sheet_.make_high(top_ + 2);
    for (std::size_t c = 1; c < std::size(titles); ++c)
      sheet_.text(top_ + 2, c, titles[c], c == input ? Style::heading : Style::number_heading);
    auto sorted = now;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Sensitivity& a, const Sensitivity& b) { return swing_of(a) > swing_of(b); });
    count_ = now.size();
    for (std::size_t i = 0; i < count_; ++i) {
      write_input(i, now[i]);
      const auto is_it = [&](const Sensitivity& each) { return each.input == sorted[i].input; };
      write_sorted(i, sorted[i], chosen, std::find_if(now.begin(), now.end(), is_it) - now.begin());
    }
    write_chart(model);
  }

 private:
  double value_of(const PlanRow& row) const { return spending_per_billion_tokens(scenario_, row); }
  double swing_of(const Sensitivity& each) const { return std::abs(value_of(each.more) - value_of(each.less)); }
  std::string title(const std::string& model) const {
    return fmt::format("{}: {} per 1e9 tokens", model, scenario_.has_prices() ? "cost" : "GPU-hours");
  }
  std::size_t line_of(std::size_t index) const { return top_ + 3 + index; }
  std::string all(std::size_t column) const {
    return cell_at(column, line_of(0)) + ":" + cell_at(column, line_of(count_ - 1));
  }

  /// Without prices a GPU-hour counts as one.
  std::string spending_of(CellNames::Cluster cluster, const std::string& days) const {
    if (!scenario_.has_prices()) cluster.price = "1";
    return fmt::format("{}/({}/1E9)", cost_formula(cluster, days, answer_.GPUs), names_.tokens);
  }
  std::string answered() const {
    const auto rate = variants_.of_place(answer_.place, VariantsSheet::tokens_per_s, 0);
    return spending_of(answer_.of_cluster,
                       days_formula(names_, answer_.of_cluster, {rate, answer_.GPUs, answer_.nodes}));
  }

  /// The cost per 1e9 tokens of the answer with a fifth less or more of an input.
  std::string cost_with(const SensitiveInput& input_of, bool is_more) const {
    auto names = names_;
    names.clusters = {answer_.of_cluster};
    auto rate = variants_.of_place(answer_.place, VariantsSheet::tokens_per_s, 0);
    if (input_of.is_simulated()) {
      const auto index = static_cast<std::size_t>(&input_of - sensitive_inputs().data());
      rate = variants_.rate_with(answer_.place, index, is_more);
    } else {
      auto& cell = input_of.cell(names, 0);
      const double factor = is_more ? 1 + sensitivity_change : 1 - sensitivity_change;
      cell = fmt::format("MIN({},{}*{})", constant(input_of.most), cell, constant(factor));
    }
    const auto days = days_formula(names, names.clusters[0], {rate, answer_.GPUs, answer_.nodes});
    return spending_of(names.clusters[0], days);
  }

  void write_input(std::size_t index, const Sensitivity& now) {
    const auto line = line_of(index);
    sheet_.text(line, name, input_words(now.input->name) + bound_words(*now.input));
    const auto put = [&](Column column, const std::string& formula, double value) {
      sheet_.formula(line, column, fmt::format("=IFERROR({},\"\")", formula), value, Style::hundredth);
    };
    put(less, cost_with(*now.input, false), value_of(now.less));
    put(more, cost_with(*now.input, true), value_of(now.more));
    // Ties keep their order.
    put(swing, fmt::format("ABS({}-{})-ROW()*1E-12", cell_at(more, line), cell_at(less, line)), swing_of(now));
  }

  void write_sorted(std::size_t index, const Sensitivity& now, const PlanRow& chosen, std::ptrdiff_t number_now) {
    const auto line = line_of(index);
    sheet_.formula(line, rank, fmt::format("=IFERROR(MATCH(LARGE({0},{1}),{0},0),{1})", all(swing), index + 1),
                   static_cast<double>(number_now + 1), Style::whole);
    const auto sorted = [&](Column from) { return fmt::format("INDEX({},{})", all(from), cell_at(rank, line)); };
    sheet_.formula_text(line, input, "=" + sorted(name), input_words(now.input->name) + bound_words(*now.input));
    const auto put = [&](Column column, const std::string& formula, double value) {
      sheet_.formula(line, column, fmt::format("=IFERROR({},0)", formula), value, Style::hundredth);
    };
    const auto base = cell_at(cost_less, top_ + 1);
    put(cost_less, sorted(less), value_of(now.less));
    put(cost_more, sorted(more), value_of(now.more));
    put(move_less, cell_at(cost_less, line) + "-" + base, value_of(now.less) - value_of(chosen));
    put(move_more, cell_at(cost_more, line) + "-" + base, value_of(now.more) - value_of(chosen));
  }

  void write_chart(const std::string& model) {
    auto* chart = sheet_.book().bar_chart();
    chart_title_set_name(chart, title(model).c_str());
    // A bar chart's categories are on its y axis.
    chart_axis_set_name(chart->x_axis, ("moves by (" + spending_unit(scenario_) + ")").c_str());
    chart_axis_set_num_format(chart->x_axis, "#,##0.##");
    chart_axis_set_reverse(chart->y_axis);  // the most important on top
    chart_axis_set_label_position(chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_LOW);
    const auto row = [](std::size_t index) { return static_cast<lxw_row_t>(index); };
    for (const auto& [column, words] : {std::pair{move_less, "with less"}, std::pair{move_more, "with more"}}) {
      auto* series = chart_add_series(chart, nullptr, nullptr);
      const auto last = row(line_of(count_ - 1));
      chart_series_set_categories(series, "Sensitivity", row(line_of(0)), input, last, input);
      chart_series_set_values(series, "Sensitivity", row(line_of(0)), static_cast<lxw_col_t>(column), last,
                              static_cast<lxw_col_t>(column));
      chart_series_set_name(series, words);
    }
    chart_set_series_gap(chart, 50);
    chart_set_series_overlap(chart, 100);
    sheet_.insert_chart(line_of(count_) + 1, input, chart, chart_height);
  }

  Sheet sheet_;
  const VariantsSheet& variants_;
  const Scenario& scenario_;
  const CellNames& names_;
  const AnswerCells& answer_;
  std::size_t top_, count_ = 0;
};

}  // namespace

void write_sensitivity(Sheet sheet, const Planned& planned, const std::vector<Answer>& answers,
                       const std::vector<AnswerCells>& cells) {
  using Of = SensitivityTable;
  sheet.hide_column(Of::rank);
  sheet.set_width(Of::input, Of::input, 44);
  sheet.set_width(Of::cost_less, Of::move_more, 13);
  sheet.set_width(Of::name, Of::swing, 22);
  sheet.text(0, Of::input, "Inputs that move the answer most", Style::bold);
  sheet.text(1, Of::input,
             "One input at a time, on the hardware as planned. Steps with another peak or network are simulated.");
  worksheet_repeat_rows(sheet.raw(), 0, 1);
  std::size_t top = first_block;
  for (std::size_t m = 0; m < answers.size(); ++m) {
    if (!answers[m].chosen) continue;
    const auto& chosen = *answers[m].chosen->row;
    const auto& now = planned.variants.sensitivities(planned.variants.place_of(chosen));
    SensitivityTable(sheet, planned, cells[m], top).write(planned.scenario.models[answers[m].model].name, chosen, now);
    top += 3 + now.size() + lines_of_chart;
  }
  // A model's table and chart are on one page.
  worksheet_fit_to_pages(sheet.raw(), 1, static_cast<uint16_t>(answers.size()));
  worksheet_print_area(sheet.raw(), 0, Of::input, static_cast<lxw_row_t>(top), Of::move_more);
}

}  // namespace ringmark::analysis
