#include "analysis/plan/workbook.hpp"

#include <utility>

#include <fmt/format.h>

#include "analysis/plan/answer_sheet.hpp"
#include "analysis/plan/answers.hpp"
#include "analysis/plan/assumptions_sheet.hpp"
#include "analysis/plan/best_sheet.hpp"
#include "analysis/plan/results_sheet.hpp"
#include "analysis/plan/sensitivity_sheet.hpp"
#include "analysis/plan/variants_sheet.hpp"
#include "base/write_file.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

void write_sources(lxw_worksheet* sources, Spreadsheet& book, const Scenario& scenario) {
  worksheet_repeat_rows(sources, 0, 0);
  Spreadsheet::set_width(sources, 0, 1, 20);
  Spreadsheet::set_width(sources, 2, 2, 110);
  Spreadsheet::text(sources, 0, 0, "cluster", book.heading());
  Spreadsheet::text(sources, 0, 1, "path", book.heading());
  Spreadsheet::text(sources, 0, 2, "alpha and rate", book.heading());
  std::size_t line = 1;
  for (const auto& cluster : scenario.clusters) {
    for (const auto& [path, cost] :
         {std::pair{"within a node", &cluster.intra}, std::pair{"between nodes", &cluster.network}}) {
      Spreadsheet::text(sources, line, 0, cluster.name);
      Spreadsheet::text(sources, line, 1, path);
      Spreadsheet::text(sources, line++, 2, cost->source);
    }
  }
  Spreadsheet::text(sources, ++line, 0, fmt::format("Made {} by ringmark {}", now_utc(), version()));
}

}  // namespace

void write_workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows,
                    const Progress& progress) {
  replace_file(path, [&](const std::string& part) {
    Spreadsheet book(part);
    auto* answer = book.sheet("Answer");
    auto* assumptions = book.sheet("Assumptions");
    auto* sensitivity = book.sheet("Sensitivity");
    auto* best = book.sheet("Best");
    auto* results = book.sheet("Results");
    auto* sources = book.sheet("Sources");
    const VariantsSheet variants(book, scenario, rows, progress);
    const auto cells = write_assumptions(book, assumptions, scenario, variants);
    Planned planned{scenario, cells, {}};
    for (const auto& row : rows) {
      if (row.is_simulated) planned.rows.push_back(&row);
    }
    const auto answers = answers_of(scenario, rows);
    const auto answered = write_answer(book, answer, variants, scenario, cells, rows, answers);
    write_sensitivity(book, sensitivity, variants, scenario, cells, answers, answered);
    write_best(book, best, planned);
    write_results(book, results, planned);
    write_sources(sources, book, scenario);
    book.close();
  });
}

}  // namespace ringmark::analysis
