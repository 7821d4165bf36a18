#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "history/answers/odd_in_fleets.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::history {
namespace {

class OddCommand final : public Command {
 public:
  explicit OddCommand(Flags& program) : Command(program.subcommand("odd", "hosts that drift away from the others")) {
    selection_.declare(flags, days_of_a_year);
    flags.group("Output");
    flags.file("--json", json_, "an array of JSON objects, odd/1");
    flags.examples({"ringmark-history odd --store history.db --cluster a100 --since 90d"},
                   "It needs launches that tell hosts apart: those of links, or of varying hosts.\n"
                   "Exit status: 0 no host is odd; 1 some are; 2 bad usage; 5 no launches tell hosts apart.");
  }

  int run() const override {
    Store store(selection_.store, Access::read);
    const Fleets fleets(store, selection_.series(store), selection_.launches(store), Usual::of_series);
    const auto found = odd_in_fleets(fleets, {});
    if (!found) {
      fmt::print(
          "undecided: no launches tell hosts apart; add results of ringmark-link, or of launches on varying hosts\n");
      return exit_undecided;
    }
    std::vector<JsonRow> rows;
    for (const auto& [kind, odd, or_host] : *found) {
      const auto who =
          or_host.empty() ? odd.host : fmt::format("{} or {}, whose only links are to each other", odd.host, or_host);
      fmt::print("{}",
                 without_controls(fmt::format("{}: {} relative to the others since {}: {}\n", who,
                                              difference_words(odd.ratio, odd.interval), utc_day(odd.since), kind)));
      rows.push_back({{"schema", "odd/1"},
                      {"host", odd.host},
                      {"or_host", or_host},
                      {"kind_of_case", kind},
                      {"kind", odd.kind == Change::Kind::step ? "step" : "drift"},
                      {"since_utc", utc_text(odd.since)},
                      {"ratio", odd.ratio},
                      {"ratio_ci_low", odd.interval.low},
                      {"ratio_ci_high", odd.interval.high},
                      {"p", odd.p}});
    }
    if (rows.empty()) fmt::print("no host drifts away from the others\n");
    if (!json_.empty()) write_file(json_, json_rows(rows));
    return rows.empty() ? exit_ok : exit_wrong;
  }

 private:
  SelectionFlags selection_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_odd(Flags& program) { return std::make_unique<OddCommand>(program); }

}  // namespace ringmark::history
