#include <optional>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/compare/waterfall.hpp"
#include "analysis/fit/fit.hpp"
#include "analysis/fit/fit_limits.hpp"
#include "analysis/read/run_facts.hpp"
#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class FitCommand final : public Command {
 public:
  explicit FitCommand(Flags& program)
      : Command(program.subcommand("fit", "cost per step (alpha) and per byte (beta) of each path and algorithm")) {
    input_.declare(flags);
    flags.group("Fit");
    flags.texts("--against", against_,
                "results held out of the fit: print predictions for all their rows, with the errors");
    declare_link_rate(flags, link_GBps_);
    flags.group("Output");
    flags.file("-o,--output", output_, "write fit/1 for plan and for ringmark-replay predict");
    flags.file("--json", json_, "write the table's lines as JSON objects, fit-segment/1");
    flags.examples({"ringmark-analyze fit results links.csv -o fit.json",
                    "ringmark-analyze fit results --where collective=all_reduce --where size_bytes=1M..64M",
                    "ringmark-analyze fit small.csv --against large.csv"});
  }

  int run() const override {
    const auto results = input_.read();
    std::optional<Results> others;
    if (!against_.empty()) others = Input::read_all(against_, input_.options);
    std::vector<std::string> notes;
    const auto rows = Input::usable(results.table);
    tell_of_pooled_files(results.table, rows);
    auto fit = fit_results(results.table, rows, notes);
    judge_rates(fit, results.table, rows, link_GBps_, notes);
    const auto facts = run_facts(input_.files);
    for (auto& model : fit.models) model.hosts = hosts_of(model.run_ids, facts);
    for (auto& links : fit.links) links.hosts = hosts_of(links.run_ids, facts);
    for (const auto& note : notes) tell(note);
    if (fit.models.empty()) throw BadUsage("nothing can be fitted; the notes above explain why");
    say("{}{}", print(fit), print(waterfalls(results.table, rows, link_GBps_)));
    if (!output_.empty()) write_file(output_, to_json(fit));
    if (!json_.empty()) write_file(json_, segments_json(fit));
    if (others) say("\n{}", print(check(fit, others->table, Input::usable(others->table))));
    return exit_ok;
  }

 private:
  Input input_;
  std::vector<std::string> against_;
  std::string output_, json_;
  std::optional<double> link_GBps_;
};

}  // namespace

std::unique_ptr<Command> add_fit(Flags& program) { return std::make_unique<FitCommand>(program); }

}  // namespace ringmark::analysis
