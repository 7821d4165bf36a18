#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "analysis/commands/commands.hpp"
#include "analysis/fit/fit.hpp"
#include "analysis/plan/remedies.hpp"
#include "analysis/plan/workbook.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

/// A progress line on a terminal, shown after two seconds.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)) {}
  ~ProgressLine() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double share) {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    if (::isatty(STDERR_FILENO) != 1 || now < next_) return;
    next_ = now + 200ms;
    is_shown_ = true;
    fmt::print(stderr, "\r\033[K{}: {:.0f} %", what_, 100 * share);
  }

 private:
  std::string what_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  bool is_shown_ = false;
};

PlanWithVariants searched(const Scenario& scenario, bool with_variants) {
  ProgressLine line("searching configurations");
  const auto show = [&](double share) { line.show(share); };
  return with_variants ? plan_with_variants(scenario, show) : PlanWithVariants{make_plan(scenario, show), {}};
}

class PlanCommand final : public Command {
 public:
  explicit PlanCommand(Flags& program)
      : Command(program.subcommand("plan",
                                   "memory, step time, days and cost of training, by cluster, ZeRO stage and nodes")) {
    flags
        .file("scenario", file_,
              "YAML with models, training and clusters; docs/reference/scenario.md lists the keys, "
              "scenarios/example.yaml is an example")
        .required();
    flags.file("--fit", fit_, "fit/1, for clusters that name a transport instead of alpha and rate");
    flags.file("-o,--output", output_,
               "spreadsheet to write (.xlsx), with live formulas; a .csv is written next to it");
    flags.examples({"ringmark-analyze plan scenario.yaml", "ringmark-analyze plan scenario.yaml -o plan.xlsx",
                    "ringmark-analyze plan scenario.yaml --fit fit.json -o plan.xlsx"});
  }

  void check_flags() override {
    if (!output_.empty() && std::filesystem::path(output_).extension() != ".xlsx")
      flags.problem("--output", "a plan is written as .xlsx, with a .csv next to it");
    const auto folder = std::filesystem::path(output_).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      flags.problem("--output", fmt::format("folder {} does not exist; create it first", folder.string()));
  }

  int run() const override {
    std::optional<Fit> fitted;
    if (!fit_.empty()) fitted = read_fit(fit_);
    const auto scenario = read_scenario(file_, whole_file(file_, file_), fitted);
    const auto plan = searched(scenario, !output_.empty());
    const auto& rows = plan.rows;
    const auto answers = answers_with_remedies(scenario, rows);
    say("{}", print(scenario, rows, answers));
    if (output_.empty()) return exit_ok;
    auto csv = std::filesystem::path(output_);
    csv.replace_extension(".csv");
    const auto text = plan_csv(scenario, rows);
    // A typo must not overwrite a sweep's results.csv with a plan.
    if (std::filesystem::exists(csv) && !is_plan_csv(read_if_readable(csv.string())))
      throw BadUsage(fmt::format("{} exists and is not a plan; give -o another name", csv.string()));
    write_workbook(output_, scenario, plan, answers);
    write_file(csv.string(), text);
    say("wrote {} and {}\n", output_, csv.string());
    return exit_ok;
  }

 private:
  std::string file_, fit_, output_;
};

}  // namespace

std::unique_ptr<Command> add_plan(Flags& program) { return std::make_unique<PlanCommand>(program); }

}  // namespace ringmark::analysis
