#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/text/with_count.hpp"
#include "base/write_file.hpp"
#include "history/answers/events.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/questions/nights.hpp"
#include "history/questions/split.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::history {
namespace {

std::string_view name(Change::Kind kind) { return kind == Change::Kind::step ? "step" : "drift"; }

class ChangesCommand final : public Command {
 public:
  explicit ChangesCommand(Flags& program)
      : Command(program.subcommand("changes", "what became slower or faster, since when, and what else changed then")) {
    selection_.declare(flags, days_of_a_year);
    flags.group("Changes");
    flags.number("--false-alarms", options_.false_alarms_per_year, 0.01, 100,
                 "false alarms to accept per year, over all selected series, if you run this every night");
    flags.percent("--at-least", options_.least_percent, 0.1, 100, "smaller changes are not reported");
    flags.group("Output");
    flags.number("--most", most_, 1, 10000, "series to list below each change");
    flags.file("--json", json_, "an array of JSON objects, change/1");
    flags.examples({"ringmark-history changes --store history.db --since 90d",
                    "ringmark-history changes --store history.db --cluster a100 --where collective=all_reduce"},
                   "Exit status: 0 nothing became slower; 1 something did; 2 bad usage; 3 a failure at run time.");
  }

  int run() const override {
    Store store(selection_.store, Access::read);
    const auto chains = selection_.chains(store);
    const auto names = names_of(chains);
    const auto events = events_of(store, chains, {.cluster = selection_.selection.cluster}, options_);
    if (events.empty()) fmt::print("no change in {} series{}\n", chains.size(), too_young_in_words(chains));
    for (const auto& event : events) fmt::print("{}", without_controls(in_words(event, chains, names)));
    tell_of_bad_rows(store, chains.front().cluster);
    if (!json_.empty()) write_file(json_, json_rows(to_json(events, chains, names)));
    const bool any_slower =
        std::any_of(events.begin(), events.end(), [](const Event& each) { return each.is_slower(); });
    return any_slower ? exit_wrong : exit_ok;
  }

 private:
  /// "; 3 of them have …", for series with too few nights to show a change; empty if there are none.
  std::string too_young_in_words(const std::vector<Chain>& chains) const {
    const auto young = std::count_if(chains.begin(), chains.end(), [&](const Chain& chain) {
      return nights_of(chain.points(), options_.same_night).size() < 2 * least_nights;
    });
    if (young == 0) return "";
    return fmt::format("; {} of them have launches from fewer than {} nights, which is too few to find one", young,
                       2 * least_nights);
  }

  std::string in_words(const Event& event, const std::vector<Chain>& chains,
                       const std::vector<std::string>& names) const {
    auto changes = event.changes;
    std::sort(changes.begin(), changes.end(), [](const ChainChange& a, const ChainChange& b) {
      return std::abs(std::log(a.change.ratio)) > std::abs(std::log(b.change.ratio));
    });
    const auto& largest = changes.front().change;
    const bool is_drift = largest.kind == Change::Kind::drift;
    auto text = fmt::format("{}: {} of {} series {}: {}{}\n", utc_text(event.first_after).substr(0, 10), changes.size(),
                            chains.size(), is_drift ? "drifted" : "changed", changes.size() > 1 ? "up to " : "",
                            difference_words(largest.ratio, largest.interval));
    text += fmt::format("  {} {} and {}\n", is_drift ? "begins between" : "between the launches of",
                        short_time(event.last_before), short_time(event.first_after));
    for (const auto& cause : event.causes)
      text += fmt::format("  also changed then: {}\n", history::in_words(cause, event));
    if (event.causes.empty()) text += "  no other change is recorded at that time\n";
    for (std::size_t i = 0; i < std::min(most_, changes.size()); ++i) {
      const auto& each = changes[i].change;
      text += fmt::format("    {}: {}\n", names[changes[i].chain], difference_words(each.ratio, each.interval));
    }
    if (changes.size() > most_) text += fmt::format("    … and {} more\n", changes.size() - most_);
    return text;
  }

  static std::vector<JsonRow> to_json(const std::vector<Event>& events, const std::vector<Chain>& chains,
                                      const std::vector<std::string>& names) {
    std::vector<JsonRow> rows;
    for (const auto& event : events) {
      for (const auto& [chain, change, causes] : event.changes) {
        auto also = JsonRow::array();
        for (const auto& cause : causes)
          also.push_back({{"name", cause.name}, {"before", cause.before}, {"after", cause.after}});
        const auto& launches = chains[chain].launches;
        auto& row = rows.emplace_back(identity_json("change/1", names[chain], chains[chain]));
        row.update({{"kind", name(change.kind)},
                    {"last_before_utc", utc_text(launches[change.first - 1].time)},
                    {"first_after_utc", utc_text(launches[change.first].time)},
                    {"ratio", change.ratio},
                    {"ratio_ci_low", change.interval.low},
                    {"ratio_ci_high", change.interval.high},
                    {"p", change.p},
                    {"also_changed", std::move(also)}});
      }
    }
    return rows;
  }

  SelectionFlags selection_;
  ChangeOptions options_;
  std::size_t most_ = 5;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_changes(Flags& program) { return std::make_unique<ChangesCommand>(program); }

}  // namespace ringmark::history
