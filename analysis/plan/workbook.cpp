#include "analysis/plan/workbook.hpp"

#include <utility>

#include "analysis/plan/answer_sheet.hpp"
#include "analysis/plan/assumptions_sheet.hpp"
#include "analysis/plan/best_sheet.hpp"
#include "analysis/plan/results_sheet.hpp"
#include "analysis/plan/sensitivity_sheet.hpp"
#include "analysis/plan/variants_sheet.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {

void write_workbook(const std::string& path, const Scenario& scenario, const PlanWithVariants& plan,
                    const std::vector<Answer>& answers) {
  replace_file(path, [&](const std::string& part) {
    Spreadsheet book(part);
    auto* answer = book.sheet("Answer");
    auto* assumptions = book.sheet("Assumptions");
    auto* sensitivity = book.sheet("Sensitivity");
    auto* best = book.sheet("Best");
    auto* results = book.sheet("Results");
    const VariantsSheet variants(book, scenario, plan);
    const auto cells = write_assumptions(book, assumptions, scenario, variants);
    Planned planned{scenario, cells, {}};
    for (const auto& row : plan.rows) {
      if (row.is_simulated) planned.rows.push_back(&row);
    }
    const auto answered = write_answer(book, answer, variants, scenario, cells, plan.rows, answers);
    write_sensitivity(book, sensitivity, variants, scenario, cells, answers, answered);
    write_best(book, best, planned);
    write_results(book, results, planned);
    book.close();
  });
}

}  // namespace ringmark::analysis
