#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/fit.hpp"
#include "analysis/run_facts.hpp"
#include "analysis/waterfall.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

struct FitCommand {
  Input input;
  std::vector<std::string> against;
  std::string output;
  std::optional<double> link_GBps;

  int run() const {
    const auto results = input.read();
    std::optional<Results> others;
    if (!against.empty()) others = Input::read_all(against, input.options);
    std::vector<std::string> notes;
    const auto rows = Input::usable(results.table);
    tell_of_pooled_files(results.table, rows);
    auto fit = fit_results(results.table, rows, notes);
    const auto facts = run_facts(input.files);
    for (auto& model : fit.models) model.hosts = hosts_of(model.run_ids, facts);
    for (const auto& note : notes) tell(note);
    if (fit.models.empty()) throw BadUsage("nothing can be fitted; the notes above say why");
    fmt::print("{}{}", print(fit), print(waterfalls(results.table, rows, link_GBps)));
    if (!output.empty()) write_file(output, to_json(fit));
    if (others) fmt::print("\n{}", print(check(fit, others->table, Input::usable(others->table))));
    return exit_ok;
  }
};

}  // namespace

Command add_fit(CLI::App& app) {
  auto command = std::make_shared<FitCommand>();
  auto& flags = *app.add_subcommand("fit", "what a step and a byte cost, by each path and algorithm");
  command->input.add_to(flags);
  flags.add_option("-o,--output", command->output, "write fit/1 for plan and for ringmark-replay predict");
  flags.add_option("--against", command->against,
                   "results kept out of the fit: prints what it predicts of all their rows, and the errors");
  add_link_rate(flags, command->link_GBps);
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis
