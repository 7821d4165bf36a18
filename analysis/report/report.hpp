// A self-contained HTML page with the answer, charts, tables, and the origin of every number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/read/run_facts.hpp"
#include "analysis/stragglers/stragglers.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {

struct ReportOptions {
  CompareOptions comparison;
  std::optional<double> link_GBps;
  std::string title = "Ringmark report";
};

struct ReportInput {
  const Table& table;  ///< with the column of add_configurations
  std::vector<std::string> notes;
  std::vector<EntryTimes> samples;
  std::vector<RunFact> facts;
  ReportOptions options;
};

/// The page's data as JSON; report.js reads it.
std::string report_data(const ReportInput& input);
/// Writes the page in parts: with a million rows it is larger than their table.
void write_report(const ReportInput& input, const TextSink& sink);

/// The script of this folder and Chart.js, embedded.
extern const std::string_view report_js, chart_js;

}  // namespace ringmark::analysis
