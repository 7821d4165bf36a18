#include "analysis/plan/variants_sheet.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark::analysis {
namespace {

/// Beside the columns of Results: the changed input, and of an answer its cluster's place in the list and its line.
enum Beside : std::size_t { changed_value = result_column::number + 2, cluster_place, line_of_results };

std::string in_list(const std::vector<std::string>& items) { return fmt::format("{}", fmt::join(items, ",")); }

}  // namespace

VariantsSheet::VariantsSheet(Spreadsheet& book, const Scenario& scenario, const CellNames& names, std::size_t rows)
    : scenario_(scenario), names_(names), results_(rows), sheet_(book.hidden_sheet("Variants")), book_(book) {
  Spreadsheet::text(sheet_, 0, 0, "Configurations under other inputs; the columns are those of Results", book.bold());
}

std::string VariantsSheet::here(std::size_t column) const {
  return fmt::format("Variants!${}${}", column_letter(column), line_ + 1);
}

void VariantsSheet::write_value(std::size_t column, const std::string& formula, double value) {
  Spreadsheet::formula(sheet_, line_, column, "=" + formula, value, book_.figure());
}

VariantsSheet::Cells VariantsSheet::write_line(const std::string& what, const PlanRow& row, const CellNames& names,
                                               const GivenCells& given) {
  using namespace result_column;
  Spreadsheet::text(sheet_, line_, model, what);
  std::size_t column = accumulation;
  for (const auto& each : variant_cells(scenario_, names, row, line_ + 1, given)) {
    const bool is_compared = column == scaling_factor;
    if (column <= cost_per_Btok && !is_compared)
      Spreadsheet::formula(sheet_, line_, column, each.formula, each.value, book_.figure());
    if (column == compute_factor) Spreadsheet::formula(sheet_, line_, column, each.formula, each.value, book_.figure());
    ++column;
  }
  return {here(days), here(cost), here(cost_per_Btok)};
}

std::vector<VariantsSheet::Pair> VariantsSheet::write_sensitivities(const PlanRow& chosen, const AnswerCells& answer,
                                                                    const std::string& change) {
  using namespace result_column;
  auto answered = names_;
  std::vector<std::string> clusters;
  for (const auto& each : scenario_.clusters) clusters.push_back('"' + each.name + '"');
  write_value(cluster_place, fmt::format("MATCH({},{{{}}},0)", answer.cluster, in_list(clusters)),
              static_cast<double>(chosen.cluster + 1));
  write_value(line_of_results, answer.line, answer.line_now);
  const auto place = here(cluster_place), line = here(line_of_results);
  ++line_;
  for (const auto cell : cluster_cells) {
    std::vector<std::string> each;
    for (const auto& cluster : names_.clusters) each.push_back(cluster.*cell);
    answered.clusters[chosen.cluster].*cell = fmt::format("CHOOSE({},{})", place, in_list(each));
  }
  const auto taken = [&](std::size_t column) {
    return fmt::format("INDEX({},{})", result_range(column, results_), line);
  };
  for (auto& each : answered.nodes) each = taken(nodes);
  const GivenCells given{taken(accumulation), taken(compute_factor), taken(replay_factor)};
  std::vector<Pair> pairs;
  for (const auto& each : sensitivities_of(scenario_, chosen)) {
    const auto value = each.input->cell(answered, chosen.cluster);
    const auto write = [&](const char* sign, const PlanRow& row, double now) {
      auto with_change = answered;
      write_value(changed_value, fmt::format("MIN({:.17G},{}*(1{}{}))", each.input->most, value, sign, change), now);
      each.input->cell(with_change, chosen.cluster) = here(changed_value);
      write_value(stage, taken(stage), row.stage);
      write_value(recompute, taken(recompute), row.recompute ? 1 : 0);
      write_value(micro_batch, taken(micro_batch), row.micro_batch);
      const auto cells = write_line(fmt::format("{} {}", each.input->name, sign), row, with_change, given);
      ++line_;
      return cells;
    };
    const auto less = write("-", each.less, each.value * (1 - sensitivity_change));
    const auto more = write("+", each.more, std::min(each.input->most, each.value * (1 + sensitivity_change)));
    pairs.push_back({each, value, less, more});
  }
  return pairs;
}

VariantsSheet::Cells VariantsSheet::write_what_if(const PlanRow& chosen, const WhatIf& what_if) {
  using namespace result_column;
  auto row = *what_if.row;
  row.model = chosen.model;
  row.cluster = chosen.cluster;
  row.nodes_index = chosen.nodes_index;
  auto names = names_;
  auto& cluster = names.clusters[chosen.cluster];
  const auto constant = [](double value) { return fmt::format("{:.17G}", value); };
  switch (what_if.kind) {
    case WhatIf::Kind::network:
      cluster.rate = fmt::format("({}*{})", cluster.rate, names_.network_times);
      break;
    case WhatIf::Kind::memory:
      cluster.memory = fmt::format("({}*{})", cluster.memory, names_.memory_times);
      break;
    case WhatIf::Kind::device:
      cluster.peak = constant(what_if.cluster.peak_TFLOPS);
      cluster.efficiency = constant(what_if.cluster.efficiency);
      cluster.memory = constant(what_if.cluster.memory_GB);
      cluster.reserve = constant(what_if.cluster.reserve_GB);
      cluster.price = cluster.next_price;
      break;
  }
  Spreadsheet::number(sheet_, line_, stage, row.stage, book_.whole());
  Spreadsheet::number(sheet_, line_, recompute, row.recompute ? 1 : 0, book_.whole());
  Spreadsheet::number(sheet_, line_, micro_batch, row.micro_batch, book_.whole());
  const auto accumulated = names.batch.empty() ? constant(row.accumulation)
                                               : fmt::format("{}/({}*{})", names.batch, here(ranks), here(micro_batch));
  const auto cells =
      write_line(what_if.what, row, names, {accumulated, constant(row.compute_factor), constant(row.replay_factor)});
  ++line_;
  return cells;
}

}  // namespace ringmark::analysis
