#include "analysis/plan/answer_sheet.hpp"

#include <fmt/format.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/changes_table.hpp"
#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {
namespace {

/// Lines of write_changes(), and one that is empty; with a model's answer above them.
constexpr std::size_t most_changes = 9, lines_per_model = 4 + most_changes;

class AnswerSheet {
 public:
  AnswerSheet(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const CellNames& names,
              const std::vector<PlanRow>& rows)
      : book_(book),
        sheet_(sheet),
        scenario_(scenario),
        names_(names),
        rows_(rows),
        places_(book, sheet, scenario, names, rows, first_place()) {}

  std::vector<AnswerCells> write(VariantsSheet& variants, const std::vector<Answer>& answers) {
    Spreadsheet::set_width(sheet_, 0, 0, 30);
    Spreadsheet::set_width(sheet_, 1, 1, 18);
    Spreadsheet::set_width(sheet_, 2, in_goodput, 12);
    Spreadsheet::hide_column(sheet_, in_order);
    Spreadsheet::text(sheet_, 0, 0, scenario_.question.empty() ? "Plan" : scenario_.question, book_.bold());
    std::vector<AnswerCells> cells;
    for (std::size_t m = 0; m < answers.size(); ++m) {
      const auto top = 2 + lines_per_model * m;
      write_titles(m, top);
      write_words(answers[m], top);
      write_figures(answers[m], top);
      cells.push_back(answer_cells(answers[m], top));
      const auto of = [&](PlaceColumn column) { return places_.of_model(column, m); };
      write_changes(book_, sheet_, top + 3, variants, scenario_, names_, rows_.size(), answers[m], cells.back(),
                    {of(in_cluster), of(in_nodes), of(in_days), of(in_cost), of(in_order)},
                    answers[m].chosen ? places_.cells_of(*answers[m].chosen->row) : AnswerCells{});
    }
    places_.write();
    const auto heading = static_cast<lxw_row_t>(first_place() - 1), last = static_cast<lxw_row_t>(places_.last());
    worksheet_autofilter(sheet_, heading, 0, last, in_order);
    Spreadsheet::text(
        sheet_, last + 2, 0,
        "The answer is the cheapest line (with a budget alone: the fastest) of those that keep deadline and "
        "budget at the end of their range as well, or else as predicted; if none does, the cheapest that keeps the "
        "deadline, or else the fastest.");
    Spreadsheet::text(sheet_, last + 3, 0,
                      "probability: that the deadline is met, if logarithms of times scatter normally");
    worksheet_repeat_rows(sheet_, heading, heading);
    return cells;
  }

 private:
  std::size_t first_place() const { return 3 + lines_per_model * scenario_.models.size(); }

  /// The least order of the model's places; 0 where nothing fits.
  std::string least_order(std::size_t model) const { return fmt::format("MIN({})", places_.of_model(in_order, model)); }
  /// A column of the model's answer.
  std::string chosen(PlaceColumn column, std::size_t model) const {
    return fmt::format("INDEX({},MATCH({},{},0))", places_.of_model(column, model), least_order(model),
                       places_.of_model(in_order, model));
  }

  void write_titles(std::size_t model, std::size_t top) {
    Spreadsheet::make_high(sheet_, top);
    Spreadsheet::text(sheet_, top, 0, scenario_.models[model].name, book_.heading());
    const auto in_currency = [&](const char* what) { return fmt::format("{} ({})", what, scenario_.currency); };
    const std::string titles[]{"cluster",
                               "nodes",
                               "days",
                               "days, 95 % below",
                               in_currency("cost"),
                               in_currency("cost, 95 % below"),
                               "probability",
                               in_currency("per 1e9 tokens"),
                               "line of Results"};
    for (std::size_t i = 0; i < std::size(titles); ++i)
      Spreadsheet::text(sheet_, top, i + 1, titles[i], i == 0 ? book_.heading() : book_.number_heading());
  }

  /// The cluster's name, its configuration, and the limits that it misses.
  void write_words(const Answer& answer, std::size_t top) {
    const auto m = answer.model;
    const auto* row = answer.chosen ? answer.chosen->row : nullptr;
    const auto words = [&](std::size_t line, std::size_t column, const std::string& formula, const std::string& now) {
      worksheet_write_formula_str(sheet_, static_cast<lxw_row_t>(line), static_cast<lxw_col_t>(column), formula.c_str(),
                                  nullptr, now.c_str());
    };
    const auto or_nothing = [&](const std::string& formula) {
      return fmt::format("=IF({}=0,\"\",{})", least_order(m), formula);
    };
    words(top + 1, 1, or_nothing(chosen(in_cluster, m)), row != nullptr ? scenario_.clusters[row->cluster].name : "");
    Spreadsheet::text(sheet_, top + 2, 0, "its configuration");
    words(top + 2, 1,
          or_nothing(fmt::format("\"stage \"&{}&\", micro-batch \"&{}&IF({}=1,\", layers recomputed\",\", nothing "
                                 "recomputed\")",
                                 chosen(in_stage, m), chosen(in_micro_batch, m), chosen(in_recompute, m))),
          configuration_now(row));
    const auto misses = [&](const std::string& limit, PlaceColumn of) {
      return fmt::format("AND({0}>0,{1}>{0})", limit, chosen(of, m));
    };
    words(top + 2, in_micro_batch,
          fmt::format("=IF({}=0,\"nothing fits\",IF({},\"no cluster meets the deadline\",IF({},\"no cluster keeps to "
                      "the budget\",\"\")))",
                      least_order(m), misses(names_.deadline, in_days), misses(names_.budget, in_cost)),
          verdict_now(answer));
  }

  void write_figures(const Answer& answer, std::size_t top) {
    const auto m = answer.model;
    const auto* row = answer.chosen ? answer.chosen->row : nullptr;
    const auto value = [&](double PlanRow::*figure) {
      return row != nullptr ? std::optional<double>(row->*figure) : std::nullopt;
    };
    const auto figure = [&](std::size_t column, const std::string& formula, std::optional<double> now,
                            lxw_format* format) {
      Spreadsheet::formula(sheet_, top + 1, column, fmt::format("=IF({}=0,\"\",{})", least_order(m), formula), now,
                           format);
    };
    figure(2, chosen(in_nodes, m), row != nullptr ? std::optional<double>(row->nodes) : std::nullopt, book_.whole());
    figure(3, chosen(in_days, m), value(&PlanRow::days), book_.tenth());
    figure(5, chosen(in_cost, m), value(&PlanRow::cost), book_.whole());
    figure(8, chosen(in_per_Btok, m), value(&PlanRow::cost_per_Btok), book_.hundredth());
    figure(9, chosen(result_line, m), row != nullptr ? std::optional(line_now(answer)) : std::nullopt, book_.whole());
    const auto high = [&](double PlanRow::*of) {
      return row != nullptr ? std::optional(answer.chosen->range(row->*of).high) : std::nullopt;
    };
    figure(4, chosen(in_days_high, m), high(&PlanRow::days), book_.tenth());
    figure(6, chosen(in_cost_high, m), high(&PlanRow::cost), book_.whole());
    const auto sure = row != nullptr && scenario_.deadline_days
                          ? answer.chosen->probability_below(row->days, *scenario_.deadline_days)
                          : std::nullopt;
    const auto low_days = chosen(in_days_low, m), high_days = chosen(in_days_high, m);
    figure(7,
           fmt::format("IF(OR({0}=0,{1}={2}),\"\",NORMSDIST((LN({0})-LN({1}*{2})/2)/(LN({2}/{1})/3.2898)))",
                       names_.deadline, low_days, high_days),
           sure, book_.percent());
  }

  static std::string configuration_now(const PlanRow* row) {
    if (row == nullptr) return "";
    return fmt::format("stage {}, micro-batch {}, {} recomputed", row->stage, row->micro_batch,
                       row->recompute ? "layers" : "nothing");
  }

  static std::string verdict_now(const Answer& answer) {
    if (!answer.chosen) return "nothing fits";
    if (!answer.meets_deadline) return "no cluster meets the deadline";
    return answer.meets_budget ? "" : "no cluster keeps to the budget";
  }

  double line_now(const Answer& answer) const {
    return answer.chosen ? static_cast<double>(answer.chosen->row - rows_.data() + 1) : 0;
  }
  AnswerCells answer_cells(const Answer& answer, std::size_t top) const {
    const auto of = [&](std::size_t column) { return "Answer!" + PlacesTable::cell(column, top + 1); };
    return {of(1), of(2), of(3), of(5), of(8), of(9), line_now(answer)};
  }

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  const Scenario& scenario_;
  const CellNames& names_;
  const std::vector<PlanRow>& rows_;
  PlacesTable places_;
};

}  // namespace

std::vector<AnswerCells> write_answer(Spreadsheet& book, lxw_worksheet* sheet, VariantsSheet& variants,
                                      const Scenario& scenario, const CellNames& names,
                                      const std::vector<PlanRow>& rows, const std::vector<Answer>& answers) {
  return AnswerSheet(book, sheet, scenario, names, rows).write(variants, answers);
}

}  // namespace ringmark::analysis
