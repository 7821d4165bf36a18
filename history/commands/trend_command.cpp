#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "base/write_file.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

/// The launches of a period of time.
struct Period {
  std::chrono::sys_seconds begin;
  std::vector<double> times_us;
};

std::chrono::seconds length_of_periods(const std::vector<Chain>& chains) {
  using std::chrono::days;
  const auto span = span_of(chains);
  constexpr int most_periods = 32;  // about a screen
  for (const auto length : {days(1), days(7), days(28)}) {
    if (span.last - span.first < most_periods * length) return length;
  }
  return days(91);
}

/// Periods follow each other from the day of `first` on.
std::vector<Period> periods_of(const Chain& chain, std::chrono::sys_seconds first, std::chrono::seconds length) {
  const auto start = std::chrono::floor<std::chrono::days>(first);
  std::vector<Period> periods;
  for (const auto& launch : chain.launches) {
    const auto begin = launch.time - (launch.time - start) % length;
    if (periods.empty() || periods.back().begin != begin) periods.push_back({begin, {}});
    periods.back().times_us.push_back(launch.time_us);
  }
  return periods;
}

class TrendCommand final : public Command {
 public:
  explicit TrendCommand(Flags& program)
      : Command(program.subcommand("trend", "how an operation's time changed over days, weeks or months")) {
    selection_.declare(flags);
    flags.group("Output");
    flags.number("--most", most_, 1, 1000, "series to print; the file that --json writes has all");
    flags.file("--json", json_, "an array of JSON objects, trend/1");
    flags.examples({"ringmark-history trend --store history.db --where collective=all_reduce size_bytes=16M",
                    "ringmark-history trend --store history.db --host node7 --since 90d"});
  }

  int run() const override {
    Store store(selection_.store, Access::read);
    auto chains = selection_.outlines(store);
    const auto names = names_of(chains);
    const auto length = length_of_periods(chains);
    const auto first = span_of(chains).first;
    const auto shown = json_.empty() ? std::min(most_, chains.size()) : chains.size();
    read_launches(store, std::span(chains).first(shown), selection_.launches(store));
    std::vector<JsonRow> rows;
    for (std::size_t i = 0; i < shown; ++i) {
      const auto periods = periods_of(chains[i], first, length);
      if (i < most_)
        fmt::print("{}", without_controls(fmt::format("{}\n{}\n", names[i], table_of(chains[i], periods))));
      for (const auto& period : periods) rows.push_back(to_json(names[i], chains[i], period));
    }
    if (chains.size() > most_)
      fmt::print("… and {} more series; narrow them with --where, or give --most {}\n", chains.size() - most_,
                 chains.size());
    if (!json_.empty()) write_file(json_, json_rows(rows));
    return exit_ok;
  }

 private:
  static std::string table_of(const Chain& chain, const std::vector<Period>& periods) {
    std::vector<std::vector<std::string>> lines{{"from", ">launches", ">median µs", "95 % interval", ">GB/s bus"}};
    for (const auto& period : periods) {
      const Sorted times(period.times_us);
      const auto interval = times.median_interval();
      const auto rate = bus_bandwidth_GBps(chain.last(), times.median());
      lines.push_back(
          {utc_text(period.begin).substr(0, 10), std::to_string(times.size()), short_number(times.median()),
           interval ? fmt::format("{} to {}", short_number(interval->low), short_number(interval->high)) : "",
           rate ? short_number(*rate) : ""});
    }
    return print_table(std::move(lines));
  }

  static JsonRow to_json(const std::string& name, const Chain& chain, const Period& period) {
    const Sorted times(period.times_us);
    const auto interval = times.median_interval();
    auto row = identity_json("trend/1", name, chain);
    row.update({{"from_utc", utc_text(period.begin)}, {"launches", times.size()}, {"time_us_median", times.median()}});
    row["time_us_ci_low"] = interval ? JsonRow(interval->low) : JsonRow();
    row["time_us_ci_high"] = interval ? JsonRow(interval->high) : JsonRow();
    const auto rate = bus_bandwidth_GBps(chain.last(), times.median());
    row["busbw_GBps"] = rate ? JsonRow(*rate) : JsonRow();
    return row;
  }

  SelectionFlags selection_;
  std::size_t most_ = 5;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_trend(Flags& program) { return std::make_unique<TrendCommand>(program); }

}  // namespace ringmark::history
