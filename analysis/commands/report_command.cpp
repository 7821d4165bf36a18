
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/history/history_report.hpp"
#include "analysis/read/run_facts.hpp"
#include "analysis/report/report.hpp"
#include "analysis/table/column_roles.hpp"
#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(Flags& program)
      : Command(program.subcommand("report", "one self-contained page with charts, tables and provenance")) {
    auto& comparison = options_.comparison;
    input_.declare(flags, false);
    declare_samples(flags, samples_);
    flags.group("Comparison");
    flags
        .text("--by", comparison.by,
              "column to compare by; by default the first that varies, or 'beside' if groups ran both alone and "
              "alongside others and --baseline is not given",
              "COLUMN")
        .may_be_empty();
    flags.text("--baseline", comparison.baseline, "value of that column to compare with", "VALUE").may_be_empty();
    declare_link_rate(flags, options_.link_GBps);
    history_.declare(flags);
    flags.group("Output");
    flags.file("-o,--output", output_, "the page");
    flags.text("--title", options_.title, "title of the page").may_be_empty();
    flags.examples({"ringmark-analyze report results", "ringmark-analyze report results links.csv -o report.html",
                    "ringmark-analyze report results --by transport --link-GBps 12.5 --title Fabrics",
                    "ringmark-analyze report --store history.db --cluster a100 -o history.html"});
  }

  int run() const override {
    if (history_.is_asked()) {
      if (!input_.files.empty())
        throw BadUsage(Problem{
            .flag = "--store", .text = "cannot be combined with result files", .remedy = "give only one of them"});
      history_.write(output_, options_.title, input_.where);
      say("wrote {}\n", output_);
      return exit_ok;
    }
    if (input_.files.empty()) throw BadUsage(Problem{.flag = "results", .text = "is missing", .remedy = "give FILE"});
    auto results = input_.read();
    add_configurations(results.table);
    const ReportInput of_page{results.table, results.notes, input_.samples(samples_, results.table),
                              run_facts(input_.files), options_};
    write_file(output_, [&](const TextSink& sink) { write_report(of_page, sink); });
    say("wrote {}\n", output_);
    return exit_ok;
  }

 private:
  Input input_;
  std::vector<std::string> samples_;
  ReportOptions options_;
  HistoryReport history_;
  std::string output_ = "report.html";
};

}  // namespace

std::unique_ptr<Command> add_report(Flags& program) { return std::make_unique<ReportCommand>(program); }

}  // namespace ringmark::analysis
