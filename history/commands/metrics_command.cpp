#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "base/write_file.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/commands/open_metrics.hpp"

namespace ringmark::history {
namespace {

class MetricsCommand final : public Command {
 public:
  explicit MetricsCommand(Flags& program)
      : Command(program.subcommand("metrics", "the latest launches as OpenMetrics text, for Prometheus")) {
    declare_store(flags, store_);
    flags.group("Output");
    constexpr int most_days = 3650;
    flags.number("--days", days_, 1, most_days,
                 "leave out series that ended so long before the cluster's latest launch");
    flags.file("-o,--output", output_, "a file that node_exporter's textfile collector reads; - is standard output");
    flags.examples({"ringmark-history metrics --store history.db -o /var/lib/prometheus/node-exporter/ringmark.prom"});
  }

  int run() const override {
    Store store(store_, Access::read);
    write_file_or_output(output_, open_metrics(latest_launches(store, days_), latest_verdicts(store)));
    return exit_ok;
  }

 private:
  std::string store_, output_ = "-";
  int days_ = 30;
};

}  // namespace

std::unique_ptr<Command> add_metrics(Flags& program) { return std::make_unique<MetricsCommand>(program); }

}  // namespace ringmark::history
