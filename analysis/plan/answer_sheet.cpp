#include "analysis/plan/answer_sheet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/changes_table.hpp"
#include "analysis/plan/order.hpp"

namespace ringmark::analysis {
namespace {

/// Columns of the table of places. `order` is least for the answer: a tier, and within it cost or days.
enum Column : std::size_t {
  in_model,
  in_cluster,
  in_nodes,
  result_line,
  in_stage,
  in_recompute,
  in_micro_batch,
  in_days,
  in_days_low,
  in_days_high,
  in_cost,
  in_cost_high,
  in_per_Btok,
  in_mfu,
  in_goodput,
  in_order
};

class AnswerSheet {
 public:
  AnswerSheet(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const CellNames& names,
              const std::vector<PlanRow>& rows)
      : book_(book), sheet_(sheet), scenario_(scenario), names_(names), rows_(rows) {}

  std::vector<AnswerCells> write(VariantsSheet& variants, const std::vector<Answer>& answers) {
    Spreadsheet::set_width(sheet_, 0, 0, 30);
    Spreadsheet::set_width(sheet_, 1, 1, 18);
    Spreadsheet::set_width(sheet_, 2, in_goodput, 12);
    Spreadsheet::hide_column(sheet_, in_order);
    Spreadsheet::text(sheet_, 0, 0, scenario_.question.empty() ? "Plan" : scenario_.question, book_.bold());
    places_ = places_of(rows_);
    // A model's answer, and below it what would change it; then all places.
    const std::size_t lines_per_model = 4 + most_changes;
    first_ = 3 + lines_per_model * scenario_.models.size();
    std::vector<AnswerCells> cells;
    for (std::size_t m = 0; m < answers.size(); ++m) {
      const auto top = 2 + lines_per_model * m;
      write_model(answers[m], top);
      cells.push_back(answer_cells(answers[m], top));
      write_changes(book_, sheet_, top + 3, variants, scenario_, names_, rows_.size(), answers[m], cells.back(),
                    {of_model(in_cluster, m), of_model(in_nodes, m), of_model(in_days, m), of_model(in_cost, m),
                     of_model(in_order, m)},
                    place_cells(answers[m]));
    }
    write_heading(first_ - 1);
    for (std::size_t i = 0; i < places_.size(); ++i) write_place(places_[i], first_ + i);
    const auto last = static_cast<lxw_row_t>(first_ + places_.size() - 1);
    worksheet_autofilter(sheet_, static_cast<lxw_row_t>(first_ - 1), 0, last, in_order);
    Spreadsheet::text(
        sheet_, last + 2, 0,
        "The answer is the cheapest line (with a budget alone: the fastest) of those that keep deadline and "
        "budget at the end of their range as well, or else as predicted.");
    Spreadsheet::text(sheet_, last + 3, 0,
                      "probability: that the deadline is met, if logarithms of times scatter normally");
    worksheet_repeat_rows(sheet_, static_cast<lxw_row_t>(first_ - 1), static_cast<lxw_row_t>(first_ - 1));
    return cells;
  }

 private:
  /// Lines of write_changes(), and one that is empty.
  static constexpr std::size_t most_changes = 9;

  static std::string cell(std::size_t column, std::size_t row) {
    return fmt::format("${}${}", column_letter(column), row + 1);
  }
  std::string of_model(std::size_t column, std::size_t model) const {
    const auto is_of = [&](const PlanPlace& place) { return place.where[0] == model; };
    const auto begin = std::find_if(places_.begin(), places_.end(), is_of);
    const auto from = first_ + static_cast<std::size_t>(begin - places_.begin());
    const auto count = static_cast<std::size_t>(std::count_if(places_.begin(), places_.end(), is_of));
    return cell(column, from) + ":" + cell(column, from + count - 1);
  }

  void write_model(const Answer& answer, std::size_t top) {
    const auto m = answer.model;
    const auto least = fmt::format("MIN({})", of_model(in_order, m));
    const auto chosen = [&](std::size_t column) {
      return fmt::format("INDEX({},MATCH({},{},0))", of_model(column, m), least, of_model(in_order, m));
    };
    const auto* row = answer.chosen ? answer.chosen->row : nullptr;
    const auto value = [&](double PlanRow::*figure) {
      return row != nullptr ? std::optional<double>(row->*figure) : std::nullopt;
    };
    const auto or_nothing = [&](const std::string& formula) {
      return fmt::format("=IF({}=0,\"\",{})", least, formula);
    };
    Spreadsheet::make_high(sheet_, top);
    Spreadsheet::text(sheet_, top, 0, scenario_.models[m].name, book_.heading());
    const char* titles[]{"cluster",          "nodes",       "days",           "days, 95 % below", "cost",
                         "cost, 95 % below", "probability", "per 1e9 tokens", "line of Results"};
    for (std::size_t i = 0; i < std::size(titles); ++i)
      Spreadsheet::text(sheet_, top, i + 1, titles[i], book_.heading());
    worksheet_write_formula_str(sheet_, static_cast<lxw_row_t>(top + 1), 1, or_nothing(chosen(in_cluster)).c_str(),
                                nullptr, row != nullptr ? scenario_.clusters[row->cluster].name.c_str() : "");
    const auto figure = [&](std::size_t column, const std::string& formula, std::optional<double> now,
                            lxw_format* format) {
      Spreadsheet::formula(sheet_, top + 1, column, or_nothing(formula), now, format);
    };
    Spreadsheet::text(sheet_, top + 2, 0, "its configuration");
    worksheet_write_formula_str(
        sheet_, static_cast<lxw_row_t>(top + 2), 1,
        or_nothing(fmt::format("\"stage \"&{}&\", micro-batch \"&{}&IF({}=1,\", layers recomputed\",\", nothing "
                               "recomputed\")",
                               chosen(in_stage), chosen(in_micro_batch), chosen(in_recompute)))
            .c_str(),
        nullptr, configuration_now(row).c_str());
    figure(2, chosen(in_nodes), row != nullptr ? std::optional<double>(row->nodes) : std::nullopt, book_.whole());
    figure(3, chosen(in_days), value(&PlanRow::days), book_.tenth());
    figure(5, chosen(in_cost), value(&PlanRow::cost), book_.whole());
    figure(8, chosen(in_per_Btok), value(&PlanRow::cost_per_Btok), book_.hundredth());
    figure(9, chosen(result_line), row != nullptr ? std::optional(line_now(answer)) : std::nullopt, book_.whole());
    const auto high = [&](double PlanRow::*of) {
      return row != nullptr ? std::optional(answer.chosen->range(row->*of).high) : std::nullopt;
    };
    figure(4, chosen(in_days_high), high(&PlanRow::days), book_.tenth());
    figure(6, chosen(in_cost_high), high(&PlanRow::cost), book_.whole());
    const auto sure = row != nullptr && scenario_.deadline_days
                          ? answer.chosen->probability_below(row->days, *scenario_.deadline_days)
                          : std::nullopt;
    const auto low_days = chosen(in_days_low), high_days = chosen(in_days_high);
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

  double line_now(const Answer& answer) const {
    return answer.chosen ? static_cast<double>(answer.chosen->row - rows_.data() + 1) : 0;
  }
  AnswerCells answer_cells(const Answer& answer, std::size_t top) const {
    const auto of = [&](std::size_t column) { return "Answer!" + cell(column, top + 1); };
    return {of(1), of(2), of(3), of(5), of(8), of(9), line_now(answer)};
  }
  /// The cells of the place that is the answer at present.
  AnswerCells place_cells(const Answer& answer) const {
    for (std::size_t i = 0; answer.chosen && i < places_.size(); ++i) {
      const auto& place = places_[i];
      if (place.rows.empty() || &rows_[place.rows.front()] != answer.chosen->row) continue;
      const auto of = [&](std::size_t column) { return cell(column, first_ + i); };
      return {of(in_cluster), of(in_nodes), of(in_days), of(in_cost), of(in_per_Btok), of(result_line), 0};
    }
    return {};
  }

  void write_heading(std::size_t line) {
    const std::string titles[]{"model",
                               "cluster",
                               "nodes",
                               "line of Results",
                               "stage",
                               "recompute",
                               "micro-batch",
                               "days",
                               "days, low",
                               "days, high",
                               "cost (" + scenario_.currency + ")",
                               "cost, high",
                               "per 1e9 tokens",
                               "MFU",
                               "goodput",
                               "order"};
    Spreadsheet::make_high(sheet_, line);
    for (std::size_t c = 0; c < std::size(titles); ++c) Spreadsheet::text(sheet_, line, c, titles[c], book_.heading());
  }

  /// A line of the best configuration of a place; its line in Results is found again when assumptions change.
  void write_place(const PlanPlace& place, std::size_t line) {
    const auto& [model, cluster, nodes] = place.where;
    const PlanRow* row = place.rows.empty() ? nullptr : &rows_[place.rows.front()];
    Spreadsheet::text(sheet_, line, in_model, scenario_.models[model].name);
    Spreadsheet::text(sheet_, line, in_cluster, scenario_.clusters[cluster].name);
    Spreadsheet::formula(sheet_, line, in_nodes, "=" + names_.nodes[nodes], scenario_.nodes[nodes], book_.whole());
    const auto all = [&](std::size_t column) { return result_range(column, rows_.size()); };
    const auto here = cell(result_line, line);
    // MATCH over products of conditions needs an array; SUMPRODUCT and MAX make do without one. The first best one.
    const auto fewest = static_cast<double>(row != nullptr ? place.rows.front() + 1 : 0);
    Spreadsheet::formula(
        sheet_, line, result_line,
        fmt::format("=IF(COUNTIFS({0},{1},{2},{3},{4},{5},{6},1)=0,0,_xlfn.MINIFS({7},{0},{1},{2},{3},{4},{5},{6},1))",
                    all(result_column::model), cell(in_model, line), all(result_column::cluster),
                    cell(in_cluster, line), all(result_column::nodes), cell(in_nodes, line), all(result_column::best),
                    all(result_column::number)),
        fewest, book_.whole());
    const auto take = [&](std::size_t column, std::size_t from, std::optional<double> now, lxw_format* format,
                          const std::string& times = "") {
      Spreadsheet::formula(sheet_, line, column,
                           fmt::format("=IF({0}=0,\"\",INDEX({1},{0}){2})", here, all(from), times), now, format);
    };
    const auto now = [&](double value) { return row != nullptr ? std::optional(value) : std::nullopt; };
    const PlanRow none{};
    const auto& shown = row != nullptr ? *row : none;
    const Choice choice{&shown};
    take(in_stage, result_column::stage, now(shown.stage), book_.whole());
    take(in_recompute, result_column::recompute, now(shown.recompute ? 1 : 0), book_.whole());
    take(in_micro_batch, result_column::micro_batch, now(shown.micro_batch), book_.whole());
    take(in_days, result_column::days, now(shown.days), book_.tenth());
    const auto end = [&](std::size_t column) {
      const auto interval = fmt::format("INDEX({},{})", all(column), here);
      return fmt::format("*IF(ISNUMBER({0}),{0}/INDEX({1},{2}),1)", interval, all(result_column::step_s), here);
    };
    const auto low = end(result_column::interval_low_s), high = end(result_column::interval_high_s);
    take(in_days_low, result_column::days, now(choice.range(shown.days).low), book_.tenth(), low);
    take(in_days_high, result_column::days, now(choice.range(shown.days).high), book_.tenth(), high);
    take(in_cost, result_column::cost, now(shown.cost), book_.whole());
    take(in_cost_high, result_column::cost, now(choice.range(shown.cost).high), book_.whole(), high);
    take(in_per_Btok, result_column::cost_per_Btok, now(shown.cost_per_Btok), book_.hundredth());
    take(in_mfu, result_column::mfu, now(shown.mfu), book_.percent());
    take(in_goodput, result_column::goodput, now(shown.goodput), book_.percent());
    write_order(line, row != nullptr ? std::optional(choice) : std::nullopt);
  }

  void write_order(std::size_t line, const std::optional<Choice>& choice) {
    const auto at = [&](Column column) { return cell(column, line); };
    const auto order = order_by<Formulas>({.days = at(in_days),
                                           .cost = at(in_cost),
                                           .days_high = at(in_days_high),
                                           .cost_high = at(in_cost_high),
                                           .deadline = names_.deadline,
                                           .budget = names_.budget});
    Spreadsheet::formula(sheet_, line, in_order, fmt::format("=IF({}=0,\"\",{})", at(result_line), order),
                         choice ? std::optional(order_of(scenario_, *choice)) : std::nullopt, book_.figure());
  }

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  const Scenario& scenario_;
  const CellNames& names_;
  const std::vector<PlanRow>& rows_;
  std::vector<PlanPlace> places_;
  std::size_t first_ = 0;
};

}  // namespace

std::vector<AnswerCells> write_answer(Spreadsheet& book, lxw_worksheet* sheet, VariantsSheet& variants,
                                      const Scenario& scenario, const CellNames& names,
                                      const std::vector<PlanRow>& rows, const std::vector<Answer>& answers) {
  return AnswerSheet(book, sheet, scenario, names, rows).write(variants, answers);
}

}  // namespace ringmark::analysis
