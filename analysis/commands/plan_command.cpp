#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/fit.hpp"
#include "analysis/plan/workbook.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

struct PlanCommand {
  std::string file, fit, output;

  int run() const {
    std::optional<Fit> fitted;
    if (!fit.empty()) fitted = read_fit(fit);
    const auto scenario = read_scenario(file, whole_file(file, file), fitted);
    const auto rows = make_plan(scenario);
    fmt::print("{}", print(scenario, rows));
    if (output.empty()) return exit_ok;
    auto csv = std::filesystem::path(output);
    if (csv.extension() != ".xlsx")
      throw BadUsage(fmt::format("-o {}: a plan is written as .xlsx, with a .csv beside it", output));
    csv.replace_extension(".csv");
    const auto text = plan_csv(scenario, rows);
    // A sweep's results.csv must not become a plan by a slip of the keyboard.
    const auto header = text.substr(0, text.find('\n'));
    if (std::filesystem::exists(csv) && !whole_file(csv.string(), csv.string()).starts_with(header)) {
      throw BadUsage(fmt::format("{} is there and no plan; give -o another name", csv.string()));
    }
    write_workbook(output, scenario, rows);
    write_file(csv.string(), text);
    fmt::print("wrote {} and {}\n", output, csv.string());
    return exit_ok;
  }
};

}  // namespace

Command add_plan(CLI::App& app) {
  auto command = std::make_shared<PlanCommand>();
  auto& flags =
      *app.add_subcommand("plan", "memory, step time, days and cost of training, by cluster, ZeRO stage and nodes");
  flags.add_option("scenario", command->file, "YAML: models, training, clusters")->required();
  flags.add_option("--fit", command->fit, "fit/1, for clusters that name a transport instead of alpha and rate");
  flags.add_option("-o,--output", command->output, "the spreadsheet, with live formulas; a .csv goes beside it");
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis
