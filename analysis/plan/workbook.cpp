#include "analysis/plan/workbook.hpp"

#include <utility>

#include "analysis/plan/sheets.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {

void write_workbook(const std::string& path, const Scenario& scenario, const PlanWithVariants& plan,
                    const std::vector<Answer>& answers) {
  replace_file(path, [&](const std::string& part) {
    Spreadsheet book(part);
    // In the order of the tabs.
    const auto answer = book.sheet("Answer"), assumptions = book.sheet("Assumptions");
    const auto sensitivity = book.sheet("Sensitivity"), best = book.sheet("Best"), results = book.sheet("Results");
    const VariantsSheet variants(book, scenario, plan);
    Planned planned{scenario, plan.rows, variants, write_assumptions(assumptions, scenario, variants), {}};
    for (const auto& row : plan.rows) {
      if (row.is_simulated) planned.simulated.push_back(&row);
    }
    write_sensitivity(sensitivity, planned, answers, write_answer(answer, planned, answers));
    write_best(best, planned);
    write_results(results, planned);
    book.close();
  });
}

}  // namespace ringmark::analysis
