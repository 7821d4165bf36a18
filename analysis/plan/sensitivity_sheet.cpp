#include "analysis/plan/sensitivity_sheet.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

constexpr std::size_t change_line = 1, first_block = 3, lines_of_chart = 27;
/// Each input needs room for its name.
constexpr double chart_height = 1.6;
constexpr auto change_cell = "Sensitivity!$D$2";

class SensitivityTable {
 public:
  /// Columns of the table. The charted ones are sorted by formulas; those from `name` on stand as they were written.
  enum Column : std::size_t { rank, input, unit, value, cost_less, cost_more, move_less, move_more, name, swing };

  SensitivityTable(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, std::size_t top)
      : book_(book), sheet_(sheet), scenario_(scenario), top_(top) {}

  void write(const std::string& model, const PlanRow& chosen, const std::vector<VariantsSheet::Pair>& pairs,
             const std::string& chosen_cost) {
    Spreadsheet::text(sheet_, top_, 0,
                      fmt::format("{}: what each input, alone, moves the cost per 1e9 tokens by", model), book_.bold());
    Spreadsheet::text(sheet_, top_ + 1, input, fmt::format("cost per 1e9 tokens ({})", scenario_.currency));
    Spreadsheet::formula(sheet_, top_ + 1, cost_less, "=" + chosen_cost, chosen.cost_per_Btok, book_.hundredth());
    const char* titles[]{"",          "input",          "unit",           "now",       "with less",
                         "with more", "less: moves by", "more: moves by", "as listed", "between both"};
    Spreadsheet::make_high(sheet_, top_ + 2);
    for (std::size_t c = 1; c < std::size(titles); ++c)
      Spreadsheet::text(sheet_, top_ + 2, c, titles[c], book_.heading());
    count_ = pairs.size();
    for (std::size_t i = 0; i < count_; ++i) write_line(chosen, pairs, i);
    write_chart(model);
  }

 private:
  static std::string at(std::size_t column, std::size_t line) {
    return fmt::format("${}${}", column_letter(column), line + 1);
  }
  std::size_t line_of(std::size_t index) const { return top_ + 3 + index; }
  std::string all(std::size_t column) const { return at(column, line_of(0)) + ":" + at(column, line_of(count_ - 1)); }

  /// The listed inputs are on the right, and their order by weight is found from there.
  void write_line(const PlanRow& chosen, const std::vector<VariantsSheet::Pair>& pairs, std::size_t index) {
    const auto line = line_of(index);
    const auto& pair = pairs[index];
    const auto& now = pair.at_present;
    Spreadsheet::text(sheet_, line, name, now.input->name);
    // Lines of equal weight stay in order.
    Spreadsheet::formula(
        sheet_, line, swing,
        fmt::format("=IFERROR(ABS({}-{})-ROW()*1E-12,0)", pair.more.cost_per_Btok, pair.less.cost_per_Btok),
        std::abs(now.more.cost_per_Btok - now.less.cost_per_Btok), book_.figure());
    const auto place = fmt::format("MATCH(LARGE({0},{1}),{0},0)", all(swing), index + 1);
    Spreadsheet::formula(sheet_, line, rank, "=" + place, static_cast<double>(index + 1), book_.whole());
    const auto chosen_of = [&](const auto& formula_of) {
      std::string list;
      for (const auto& each : pairs) list += "," + formula_of(each);
      return fmt::format("=IFERROR(CHOOSE({}{}),\"\")", at(rank, line), list);
    };
    const auto figure = [&](Column column, double now_is, const auto& formula_of) {
      auto* format = column == value ? book_.figure() : book_.hundredth();
      Spreadsheet::formula(sheet_, line, column, chosen_of(formula_of), now_is, format);
    };
    worksheet_write_formula_str(sheet_, static_cast<lxw_row_t>(line), input,
                                fmt::format("=INDEX({},{})", all(name), at(rank, line)).c_str(), nullptr,
                                now.input->name);
    const auto unit_of = [&](const VariantsSheet::Pair& each) {
      const std::string own = each.at_present.input->unit;
      return '"' + (own.empty() ? scenario_.currency : own) + '"';
    };
    auto unit_now = unit_of(pair);
    unit_now = unit_now.substr(1, unit_now.size() - 2);
    worksheet_write_formula_str(sheet_, static_cast<lxw_row_t>(line), unit, chosen_of(unit_of).c_str(), nullptr,
                                unit_now.c_str());
    figure(value, now.value, [](const auto& each) { return each.value; });
    figure(cost_less, now.less.cost_per_Btok, [](const auto& each) { return each.less.cost_per_Btok; });
    figure(cost_more, now.more.cost_per_Btok, [](const auto& each) { return each.more.cost_per_Btok; });
    const auto base = at(cost_less, top_ + 1);
    const auto moves = [&](Column to, Column from, double cost) {
      Spreadsheet::formula(sheet_, line, to, fmt::format("=IFERROR({}-{},0)", at(from, line), base),
                           cost - chosen.cost_per_Btok, book_.hundredth());
    };
    moves(move_less, cost_less, now.less.cost_per_Btok);
    moves(move_more, cost_more, now.more.cost_per_Btok);
  }

  void write_chart(const std::string& model) {
    auto* chart = book_.bar_chart();
    chart_title_set_name(chart, (model + ": cost per 1e9 tokens").c_str());
    // A bar chart's categories are on its y axis.
    chart_axis_set_name(chart->x_axis, ("moves by (" + scenario_.currency + ")").c_str());
    chart_axis_set_num_format(chart->x_axis, "#,##0.##");
    chart_axis_set_reverse(chart->y_axis);  // the heaviest on top
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
    Spreadsheet::insert_chart(sheet_, line_of(count_) + 1, input, chart, chart_height);
  }

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  const Scenario& scenario_;
  std::size_t top_, count_ = 0;
};

}  // namespace

void write_sensitivity(Spreadsheet& book, lxw_worksheet* sheet, VariantsSheet& variants, const Scenario& scenario,
                       const std::vector<Answer>& answers, const std::vector<AnswerCells>& cells) {
  using Of = SensitivityTable;
  Spreadsheet::set_width(sheet, Of::rank, Of::rank, 6);
  Spreadsheet::set_width(sheet, Of::input, Of::input, 24);
  Spreadsheet::set_width(sheet, Of::unit, Of::move_more, 13);
  Spreadsheet::set_width(sheet, Of::name, Of::swing, 22);
  Spreadsheet::text(sheet, 0, 0, "Inputs that move the answer most", book.bold());
  Spreadsheet::text(sheet, change_line, 0, "less and more: by this share, one input at a time");
  Spreadsheet::number(sheet, change_line, Of::value, sensitivity_change, book.input());
  worksheet_repeat_rows(sheet, 0, change_line);
  std::size_t top = first_block;
  for (std::size_t m = 0; m < answers.size(); ++m) {
    if (!answers[m].chosen) continue;
    const auto& chosen = *answers[m].chosen->row;
    const auto pairs = variants.write_sensitivities(chosen, cells[m], change_cell);
    if (pairs.empty()) continue;
    const auto cost = fmt::format("{}", cells[m].cost_per_Btok);
    SensitivityTable(book, sheet, scenario, top).write(scenario.models[answers[m].model].name, chosen, pairs, cost);
    top += 3 + pairs.size() + lines_of_chart;
  }
  // A model's table and chart are on one page.
  worksheet_fit_to_pages(sheet, 1, static_cast<uint16_t>(answers.size()));
  worksheet_print_area(sheet, 0, 0, static_cast<lxw_row_t>(top), Of::move_more);
}

}  // namespace ringmark::analysis
