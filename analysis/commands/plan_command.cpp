#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/fit.hpp"
#include "analysis/plan/answers.hpp"
#include "analysis/plan/workbook.hpp"
#include "base/errors.hpp"
#include "base/input.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class PlanCommand final : public Command {
 public:
  explicit PlanCommand(Flags& program)
      : Command(program.subcommand("plan",
                                   "memory, step time, days and cost of training, by cluster, ZeRO stage and nodes")) {
    flags
        .file("scenario", file_,
              "YAML: models, training, clusters; docs/ANALYSIS.md has its keys, scenarios/example.yaml is one")
        .required();
    flags.file("--fit", fit_, "fit/1, for clusters that name a transport instead of alpha and rate");
    flags.file("-o,--output", output_, "the spreadsheet (.xlsx), with live formulas; a .csv goes beside it");
    flags.examples({"ringmark-analyze plan scenario.yaml", "ringmark-analyze plan scenario.yaml -o plan.xlsx",
                    "ringmark-analyze plan scenario.yaml --fit fit.json -o plan.xlsx"});
  }

  void check_flags() override {
    if (!output_.empty() && std::filesystem::path(output_).extension() != ".xlsx")
      flags.problem("--output", "a plan is written as .xlsx, with a .csv beside it");
    const auto folder = std::filesystem::path(output_).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      flags.problem("--output", fmt::format("there is no folder {}; make it first", folder.string()));
  }

  int run() const override {
    std::optional<Fit> fitted;
    if (!fit_.empty()) fitted = read_fit(fit_);
    const auto scenario = read_scenario(file_, whole_file(file_, file_), fitted);
    const auto rows = make_plan(scenario);
    fmt::print("{}", without_controls(print(scenario, rows)));
    if (output_.empty()) return exit_ok;
    auto csv = std::filesystem::path(output_);
    csv.replace_extension(".csv");
    const auto text = plan_csv(scenario, rows);
    // A sweep's results.csv must not become a plan by a slip of the keyboard.
    const auto header = text.substr(0, text.find('\n'));
    if (std::filesystem::exists(csv) && !read_if_readable(csv.string()).starts_with(header)) {
      throw BadUsage(fmt::format("{} is there and no plan; give -o another name", csv.string()));
    }
    write_workbook(output_, scenario, rows);
    write_file(csv.string(), text);
    fmt::print("wrote {} and {}\n", output_, csv.string());
    return exit_ok;
  }

 private:
  std::string file_, fit_, output_;
};

}  // namespace

std::unique_ptr<Command> add_plan(Flags& program) { return std::make_unique<PlanCommand>(program); }

}  // namespace ringmark::analysis
