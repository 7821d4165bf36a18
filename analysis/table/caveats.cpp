#include "analysis/table/caveats.hpp"

#include "results/schema/cells.hpp"

namespace ringmark::analysis {
namespace {

std::vector<Caveat> of_row(const Table& table, std::size_t row) {
  std::vector<Caveat> caveats;
  from_cell(table.text("caveats")[row], caveats);
  const auto of_figures = caveats_of_figures({.time_us_p50 = table.figure(row, "time_us_p50"),
                                              .time_us_ci_low = table.figure(row, "time_us_ci_low"),
                                              .time_us_ci_high = table.figure(row, "time_us_ci_high"),
                                              .retransmits = table.figure(row, "retransmits"),
                                              .samples = table.figure(row, "samples")});
  caveats.insert(caveats.end(), of_figures.begin(), of_figures.end());
  return caveats;
}

}  // namespace

std::vector<Caveat> caveats_of(const Table& table, const std::vector<std::size_t>& rows) {
  CaveatTally tally;
  for (const auto row : rows) tally.add(of_row(table, row));
  return tally.caveats();
}

}  // namespace ringmark::analysis
