#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/text/text_table.hpp"
#include "base/write_file.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/questions/against.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

class AgainstCommand final : public Command {
 public:
  explicit AgainstCommand(Flags& program)
      : Command(program.subcommand("against", "compare launches after a date with those before it")) {
    flags.word(
        "date", "DATE", "",
        [this](const std::string& word) {
          date_ = parse_utc(word);
          return date_ ? "" : "give a date such as 2026-11-21, or 2026-11-21T06:00:00Z";
        },
        "the date, such as that of an upgrade");
    flags.required();
    selection_.declare(flags);
    flags.group("Comparison");
    flags.number("--days", days_, 1, 3650, "days to compare, before the date and after it");
    flags.toggle("--latest", latest_,
                 "compare the latest days with those before the date, instead of the days right after it");
    flags.group("Output");
    flags.file("--json", json_, "an array of JSON objects, against/1");
    flags.examples(
        {"ringmark-history against 2026-11-21 --store history.db --days 14"},
        "Exit status: 0 nothing is significantly slower; 1 something is; 2 bad usage; 5 too few launches to tell.");
  }

  int run() const override {
    Store store(selection_.store, Access::read);
    auto asked = selection_;
    const auto begin = *date_ - std::chrono::days(days_);
    asked.selection.since = std::max(asked.selection.since.value_or(begin), begin);
    const auto all = asked.chains(store);
    const auto begin_after = begin_of_others(all);
    std::vector<LaunchTimes> pairs;
    std::vector<Chain> chains;
    for (const auto& chain : all) {
      if (auto pair = against(chain.points(), *date_, begin_after, std::chrono::days(days_))) {
        pairs.push_back(std::move(*pair));
        chains.push_back(chain);
      }
    }
    if (pairs.empty())
      throw BadUsage(fmt::format("no series has launches both in {} and in {}", period(begin), period(begin_after)));
    const auto names = names_of(chains);
    const auto differences = compare_launches(pairs);
    fmt::print("{} compared with {}\n", period(begin_after, span_of(chains).last), period(begin));
    std::vector<std::vector<std::string>> lines{{"series", ">before (us)", ">after (us)", "verdict"}};
    std::vector<JsonRow> rows;
    std::size_t slower = 0, undecided = 0;
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const auto& each = differences[i];
      slower += each.verdict == Verdict::slower ? 1U : 0U;
      undecided += each.verdict == Verdict::too_few ? 1U : 0U;
      lines.push_back({names[i], short_number(median(pairs[i].baseline_us)), short_number(median(pairs[i].times_us)),
                       in_words(each)});
      auto& row = rows.emplace_back(identity_json("against/1", names[i], chains[i]));
      row.update({{"baseline_launches", each.baseline_launches},
                  {"launches", each.launches},
                  {"ratio", each.ratio},
                  {"ratio_ci_low", each.interval ? JsonRow(each.interval->low) : JsonRow()},
                  {"ratio_ci_high", each.interval ? JsonRow(each.interval->high) : JsonRow()},
                  {"p", each.p},
                  {"verdict", name(each.verdict)}});
    }
    fmt::print("{}", without_controls(print_table(std::move(lines))));
    if (!json_.empty()) write_file(json_, json_rows(rows));
    return slower > 0 ? exit_wrong : undecided == chains.size() ? exit_undecided : exit_ok;
  }

 private:
  /// The beginning of the days to compare with those before the date.
  std::chrono::sys_seconds begin_of_others(const std::vector<Chain>& chains) const {
    if (!latest_) return *date_;
    constexpr std::chrono::seconds second(1);  // so that the latest launch itself is included
    return std::max(*date_, span_of(chains).last - std::chrono::days(days_) + second);
  }
  /// "2026-08-16 to 2026-08-29", or to the last launch.
  std::string period(std::chrono::sys_seconds begin,
                     std::chrono::sys_seconds last = std::chrono::sys_seconds::max()) const {
    const auto end = begin + std::chrono::days(days_) - std::chrono::seconds(1);
    return fmt::format("{} to {}", utc_day(begin), utc_day(std::min(end, last)));
  }

  SelectionFlags selection_;
  std::optional<std::chrono::sys_seconds> date_;
  bool latest_ = false;
  int days_ = 14;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_against(Flags& program) { return std::make_unique<AgainstCommand>(program); }

}  // namespace ringmark::history
