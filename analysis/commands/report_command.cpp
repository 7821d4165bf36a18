#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/groups.hpp"
#include "analysis/report/report.hpp"
#include "analysis/run_facts.hpp"
#include "base/exit_status.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

struct ReportCommand {
  Input input;
  CompareOptions comparison;
  std::vector<std::string> samples;
  std::optional<double> link_GBps;
  std::string output = "report.html", title = "Ringmark report";

  int run() const {
    auto results = input.read();
    add_configurations(results.table);
    write_file(output, report_html({results.table, results.notes, input.samples(samples, results.table),
                                    run_facts(input.files), comparison, link_GBps, title}));
    fmt::print("wrote {}\n", output);
    return exit_ok;
  }
};

}  // namespace

Command add_report(CLI::App& app) {
  auto command = std::make_shared<ReportCommand>();
  auto& flags = *app.add_subcommand("report", "one self-contained page with charts, tables and provenance");
  command->input.add_to(flags);
  flags.add_option("-o,--output", command->output, "the page")->capture_default_str();
  flags.add_option("--by", command->comparison.by, "the column to compare by (the first that varies)");
  flags.add_option("--baseline", command->comparison.baseline, "its value to compare against");
  flags.add_option("--samples", command->samples, "samples of the runs, as JSON lines (those in the folders given)");
  flags.add_option("--title", command->title, "title of the page")->capture_default_str();
  add_link_rate(flags, command->link_GBps);
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis
