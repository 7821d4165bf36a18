#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/answer_sentence.hpp"
#include "analysis/plan/calendar.hpp"
#include "analysis/plan/changes_table.hpp"
#include "analysis/plan/live_text.hpp"
#include "analysis/plan/places_table.hpp"
#include "analysis/plan/purchase_line.hpp"
#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

class AnswerSheet {
 public:
  AnswerSheet(Sheet sheet, const Planned& planned)
      : doubts_(doubts_of(planned.scenario)),
        sheet_(sheet),
        planned_(planned),
        scenario_(planned.scenario),
        names_(planned.cells),
        has_purchase_(std::any_of(scenario_.clusters.begin(), scenario_.clusters.end(),
                                  [](const Cluster& each) { return each.is_bought(); })),
        places_(sheet, planned, first_place()) {}

  std::vector<AnswerCells> write(const std::vector<Answer>& answers) {
    const double configuration = scenario_.has_roles() ? 92 : 62;
    const double widths[]{34, 14, 7, 7, 8, 8, 8, 11, 11, 11, 11, 12, 9, 11, 11, configuration};
    for (std::size_t column = 0; column < end_of_places; ++column) {
      if (column >= in_order || !has(column))
        sheet_.hide_column(column);
      else
        sheet_.set_width(column, column, widths[column]);
    }
    sheet_.text(0, 0, scenario_.question.empty() ? "Plan" : scenario_.question, Style::bold);
    for (std::size_t i = 0; i < doubts_.size(); ++i)
      sheet_.text(1 + scenario_.models.size() + i, 0, doubts_[i], Style::bold);
    std::vector<AnswerCells> cells;
    for (std::size_t m = 0; m < answers.size(); ++m) {
      const auto top = first_block() + lines_per_model() * m;
      write_titles(m, top);
      write_words(answers[m], top);
      cells.push_back(write_numbers(answers[m], top));
      write_sentence(answers[m], 1 + m, top + 1, cells.back());
      if (has_purchase_) {
        label(top + 4, "buying", answers[m].bought.has_value());
        write_purchase(sheet_, top + 4, scenario_, places_, answers[m]);
      }
      write_changes(sheet_, top + (has_purchase_ ? 5 : 4), planned_, places_, answers[m], cells.back());
    }
    places_.write();
    const auto heading = static_cast<lxw_row_t>(first_place() - 1), last = static_cast<lxw_row_t>(places_.last());
    worksheet_autofilter(sheet_.raw(), heading, 0, last, in_configuration);
    // A table that does not fit below the answers has a page of its own.
    constexpr lxw_row_t lines_of_page = 60;
    lxw_row_t breaks[]{heading, 0};
    if (last > lines_of_page) worksheet_set_h_pagebreaks(sheet_.raw(), breaks);
    const std::string least = scenario_.has_prices() ? "least expected cost" : "least expected GPU-hours";
    sheet_.text(first_place() - notes, 0,
                fmt::format("The answer is the line with the {0} (the fastest, if only a budget is given) among those "
                            "that meet deadline and budget with the wanted certainty, or else as planned. If there are "
                            "none, it is the one with the {0} among those that meet the deadline, or else the fastest.",
                            least));
    sheet_.text(
        first_place() - notes + 1, 0,
        "All values are planned with the median step (half of measured steps took longer) and likely inputs. Ranges "
        "and probabilities include the error of predictions and the low and high values of inputs; expected values are "
        "means over all cases.");
    worksheet_repeat_rows(sheet_.raw(), heading, heading);
    worksheet_print_area(sheet_.raw(), 0, 0, last, in_configuration);  // a wider area would be printed smaller
    return cells;
  }

 private:
  bool has(std::size_t column) const {
    if (column == in_outlay) return has_purchase_;
    return scenario_.has_prices() || !(is_money(column) || column == of_budget);
  }

  static constexpr std::size_t notes = 4;  ///< lines above the table of places, including its heading
  std::vector<std::string> doubts_;        ///< below the question

  std::size_t lines_per_model() const { return (has_purchase_ ? 6 : 5) + lines_of_changes(planned_.variants); }
  /// Below the question, a sentence for each model, and the doubts.
  std::size_t first_block() const { return 1 + scenario_.models.size() + doubts_.size(); }
  std::size_t first_place() const { return first_block() + lines_per_model() * scenario_.models.size() + notes; }

  /// The smallest rank among the model's places; 0 if nothing fits.
  std::string least_order(std::size_t model) const { return fmt::format("MIN({})", places_.of_model(in_order, model)); }
  /// The number of the model's answer among its places, from 1.
  std::string chosen_number(std::size_t model) const {
    return fmt::format("MATCH({},{},0)", least_order(model), places_.of_model(in_order, model));
  }
  std::string chosen(std::size_t column, std::size_t model) const {
    return fmt::format("INDEX({},{})", places_.of_model(column, model), chosen_number(model));
  }
  std::string or_nothing(const std::string& formula, std::size_t model) const {
    return fmt::format("=IF({}=0,\"\",{})", least_order(model), formula);
  }

  void write_titles(std::size_t model, std::size_t top) {
    sheet_.make_high(top, 3);
    for (std::size_t c = 0; c <= in_configuration; ++c) {
      if (!has(c)) continue;
      sheet_.text(top, c,
                  c == in_model      ? scenario_.models[model].name
                  : c == of_deadline ? "probability of the deadline"
                  : c == of_budget   ? "probability of the budget"
                                     : place_title(c, scenario_),
                  c == in_configuration ? Style::indented_heading
                  : c <= in_cluster     ? Style::heading
                                        : Style::number_heading);
    }
  }

  /// The cluster's name, its configuration, and the limits that it misses.
  void write_words(const Answer& answer, std::size_t top) {
    const auto m = answer.model;
    const auto* row = answer.chosen ? answer.chosen->row : nullptr;
    sheet_.formula_text(top + 1, in_cluster, or_nothing(chosen(in_cluster, m), m),
                        row != nullptr ? scenario_.clusters[row->cluster].name : "");
    sheet_.formula_text(top + 1, in_configuration, or_nothing(chosen(in_configuration, m), m),
                        row != nullptr ? configuration_words(*row) : "", Style::indented);
    write_end(answer, top + 2);
    write_remedy(answer, top + 3);
    sheet_.formula_text(
        top + 1, in_model,
        fmt::format("=IF({}=0,IF(COUNTIF({},{})>0,{},\"nothing fits\"),IF({},{},IF({},{},IF(OR({},{}),{},{}))))",
                    least_order(m), places_.of_model(in_configuration, m), quoted(no_price), quoted(no_price),
                    misses(names_.deadline, in_days, m), quoted(too_late), misses(names_.budget, in_cost, m),
                    quoted(too_dear), misses(names_.deadline, in_days_sure, m), misses(names_.budget, in_cost_sure, m),
                    quoted(uncertain), quoted(certain)),
        verdict_now(answer));
  }

  static constexpr auto too_late = "No cluster meets the deadline; the fastest:",
                        too_dear = "No cluster meets the budget; the cheapest:",
                        uncertain = "The answer, without the wanted certainty:", certain = "The answer:";

  std::string misses(const std::string& limit, PlaceColumn of, std::size_t model) const {
    return exceeds_formula(chosen(of, model), limit);
  }

  /// A label that is empty if the cell next to it is.
  void label(std::size_t line, const std::string& words, bool is_shown) {
    sheet_.formula_text(line, in_model, fmt::format("=IF({}=\"\",\"\",{})", cell_at(in_cluster, line), quoted(words)),
                        is_shown ? words : "");
  }

  /// When it ends, with both intervals; empty without a start.
  void write_end(const Answer& answer, std::size_t line) {
    const auto m = answer.model;
    const auto days = answer.chosen ? answer.chosen->days() : Estimate{};
    const auto half = days.range(0.5), most = days.range();
    const auto start = scenario_.start.value_or(Day{});
    // Numbers in hidden cells keep the formula short.
    const auto day = [&](PlaceColumn column, double now) {
      const auto hidden = in_order + column;
      sheet_.formula(line, hidden, or_nothing(fmt::format("N({})+{}", names_.start, chosen(column, m)), m),
                     day_number(start) + now, Style::figure);
      return LiveText().say_cell(day_formula(cell_at(hidden, line)), day_after(start, now));
    };
    LiveText range;
    range.say(" (50 % interval ").append(day(in_days_quarter, half.low)).say(" to ");
    range.append(day(in_days_three_quarters, half.high)).say(", 90 % interval ").append(day(in_days_low, most.low));
    range.say(" to ").append(day(in_days_high, most.high)).say(")");
    auto text = day(in_days, days.planned);
    text.say_if(fmt::format("{}<{}", chosen(in_days_low, m), chosen(in_days_high, m)), most.low < most.high, range);
    label(line, "the run ends on", answer.chosen && scenario_.start);
    sheet_.formula_text(line, in_cluster,
                        fmt::format("=IF(OR({}=0,N({})=0),\"\",{})", least_order(m), names_.start, text.formula()),
                        answer.chosen && scenario_.start ? text.now() : "");
  }

  /// Remedies need a simulation, so the line is valid only while the inputs are those of the plan.
  void write_remedy(const Answer& answer, std::size_t line) {
    const auto m = answer.model;
    const bool is_needed = !answer.chosen || !answer.meets_deadline;
    const std::string later = "to find out, run ringmark-analyze plan again with these values";
    const auto planned = is_needed ? answer.remedy : later;
    const auto words = fmt::format("IF({}=0,{},{})", names_.changes, quoted(planned), quoted(later));
    label(line, "what would help", is_needed);
    sheet_.formula_text(line, in_cluster,
                        fmt::format("=IF(OR({}=0,IFERROR({},FALSE)),{},\"\")", least_order(m),
                                    misses(names_.deadline, in_days, m), words),
                        is_needed ? planned : "");
  }

  AnswerCells write_numbers(const Answer& answer, std::size_t top) {
    const auto m = answer.model;
    const auto put = [&](std::size_t column, PlaceColumn from) {
      if (!has(column)) return;
      const auto& look = look_of(from);
      sheet_.formula(top + 1, column, or_nothing(chosen(from, m), m),
                     answer.chosen ? look.now(scenario_, *answer.chosen) : std::nullopt, look.style);
    };
    for (std::size_t column = in_nodes; column <= in_energy; ++column) put(column, static_cast<PlaceColumn>(column));
    put(of_deadline, in_deadline_met);
    put(of_budget, in_budget_met);
    const auto at = [&](PlaceColumn column) { return "Answer!" + cell_at(column, top + 1); };
    AnswerCells cells{.place = fmt::format("({}+{})", places_.before_model(m), chosen_number(m)),
                      .cluster = at(in_cluster),
                      .nodes = at(in_nodes),
                      .GPUs = at(in_GPUs),
                      .days = at(in_days),
                      .cost = at(in_cost),
                      .paid_GPUs = {},
                      .years = {},
                      .hardware = {},
                      .of_cluster = {}};
    write_cluster(answer, top + 1, cells);
    return cells;
  }

  /// Puts the inputs of the chosen cluster in hidden cells. Formulas that selected them inline would be too long for
  /// Excel.
  void write_cluster(const Answer& answer, std::size_t line, AnswerCells& cells) {
    const auto* chosen = answer.chosen ? &scenario_.clusters[answer.chosen->row->cluster] : nullptr;
    std::size_t column = in_order;
    const auto hide = [&](const std::string& formula, double now) {
      sheet_.formula(line, column, or_nothing(formula, answer.model),
                     chosen != nullptr ? std::optional(now) : std::nullopt, Style::figure);
      return "Answer!" + cell_at(column++, line);
    };
    const auto take = [&](PlaceColumn from) {
      return hide(this->chosen(from, answer.model),
                  answer.chosen ? look_of(from).now(scenario_, *answer.chosen).value_or(0) : 0);
    };
    cells.paid_GPUs = take(in_paid_GPUs);
    cells.years = take(in_years);
    cells.hardware = take(in_variant);
    const auto index = answer.chosen ? answer.chosen->row->cluster : 0;
    const auto number = hide(fmt::format("INT(({}-1)/{})+1", chosen_number(answer.model), scenario_.nodes.size()),
                             static_cast<double>(index + 1));
    const auto of_chosen = [&](const auto& cell_of, double now) {
      const auto first = cell_of(names_.clusters.front());
      std::string choices;
      for (const auto& each : names_.clusters) choices += "," + cell_of(each);
      const bool is_alike = std::all_of(names_.clusters.begin(), names_.clusters.end(),
                                        [&](const auto& each) { return cell_of(each) == first; });
      return is_alike ? first : hide(fmt::format("CHOOSE({}{})", number, choices), now);
    };
    const auto values = values_of_cells(scenario_.clusters[index]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto cell = cluster_cells[i];
      cells.of_cluster.*cell = of_chosen([&](const CellNames::Cluster& each) { return each.*cell; }, values[i]);
    }
    const auto& next = scenario_.clusters[index].next;
    const auto next_price = [](const auto& each) { return each.next_price.empty() ? each.price : each.next_price; };
    cells.of_cluster.next_price =
        of_chosen(next_price, next ? next->price_per_GPU_hour : scenario_.clusters[index].price_per_GPU_hour);
  }

  void write_sentence(const Answer& answer, std::size_t at, std::size_t line, const AnswerCells& cells) {
    const auto sentence = answer_sentence(scenario_, names_, answer, verdict_now(answer), line, cells);
    sheet_.formula_text(at, 0, "=" + sentence.formula(), sentence.now());
  }

  static std::string verdict_now(const Answer& answer) {
    if (!answer.chosen) return "nothing fits";
    if (!answer.meets_deadline) return too_late;
    if (!answer.meets_budget) return too_dear;
    return answer.is_certain ? certain : uncertain;
  }

  Sheet sheet_;
  const Planned& planned_;
  const Scenario& scenario_;
  const CellNames& names_;
  bool has_purchase_;  ///< of any cluster
  PlacesTable places_;
};

}  // namespace

std::vector<AnswerCells> write_answer(Sheet sheet, const Planned& planned, const std::vector<Answer>& answers) {
  return AnswerSheet(sheet, planned).write(answers);
}

}  // namespace ringmark::analysis
