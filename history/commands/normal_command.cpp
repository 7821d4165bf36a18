#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/text/text_table.hpp"
#include "base/write_file.hpp"
#include "history/answers/in_parallel.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/questions/normal.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

class NormalCommand final : public Command {
 public:
  explicit NormalCommand(Flags& program)
      : Command(program.subcommand(
            "normal", "the range in which the next launch is expected, from those since the last change")) {
    selection_.declare(flags, days_of_a_year);
    flags.group("Range");
    flags.percent("--probability", percent_, 50, 99.99, "probability that a healthy launch is within the range");
    flags.group("Output");
    flags.file("--json", json_, "an array of JSON objects, normal/1");
    flags.examples({"ringmark-history normal --store history.db --cluster a100 --where size_bytes=16M",
                    "ringmark-history normal --store history.db --where src_host=node1 dst_host=node2"},
                   "Exit status: 0, even if a launch is outside its range; for a status that depends on the results, "
                   "use ringmark-history changes or ringmark-analyze compare --fail-if-slower.");
  }

  int run() const override {
    Store store(selection_.store, Access::read);
    const auto chains = selection_.chains(store);
    const auto names = names_of(chains);
    ChangeOptions options;
    options.series = chains.size();
    std::vector<std::vector<std::string>> lines{
        {"series", ">launches", ">median µs", "range µs", ">GB/s bus", "latest launch"}};
    std::vector<JsonRow> rows;
    std::vector<std::string> too_few;
    std::vector<std::optional<Envelope>> envelopes(chains.size());
    in_parallel(chains.size(), [&] {
      return [&](std::size_t i) { envelopes[i] = normal_of(chains[i].points(), options, percent_ / 100); };
    });
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const auto& envelope = envelopes[i];
      if (!envelope) {
        too_few.push_back(names[i]);
        continue;
      }
      lines.push_back(line_of(names[i], chains[i], *envelope));
      rows.push_back(to_json(names[i], chains[i], *envelope));
    }
    if (lines.size() > 1) fmt::print("{}", without_controls(print_table(std::move(lines))));
    if (!too_few.empty()) {
      fmt::print("{} of {} series have fewer than five launches since their last change:\n", too_few.size(),
                 chains.size());
      constexpr std::size_t most = 5;
      for (std::size_t i = 0; i < std::min(most, too_few.size()); ++i)
        fmt::print("  {}\n", without_controls(too_few[i]));
      if (too_few.size() > most) fmt::print("  … and {} more\n", too_few.size() - most);
    }
    tell_of_bad_rows(store, chains.front().cluster);
    if (!json_.empty()) write_file(json_, json_rows(rows));
    return exit_ok;
  }

 private:
  static std::vector<std::string> line_of(const std::string& name, const Chain& chain, const Envelope& envelope) {
    const auto rate = bus_bandwidth_GBps(chain.last(), envelope.median_us);
    return {name,
            std::to_string(envelope.launches),
            short_number(envelope.median_us),
            fmt::format("{} to {}", short_number(envelope.range_us.low), short_number(envelope.range_us.high)),
            rate ? short_number(*rate) : "",
            fmt::format("{}{}", history::name(envelope.judge(chain.launches.back().time_us)),
                        envelope.is_of_drift ? ", drifting" : "")};
  }

  static JsonRow to_json(const std::string& name, const Chain& chain, const Envelope& envelope) {
    const auto rate = bus_bandwidth_GBps(chain.last(), envelope.median_us);
    auto row = identity_json("normal/1", name, chain);
    row.update({{"launches", envelope.launches},
                {"last_utc", utc_text(chain.launches.back().time)},
                {"time_us_median", envelope.median_us},
                {"time_us_low", envelope.range_us.low},
                {"time_us_high", envelope.range_us.high},
                {"probability", envelope.probability},
                {"busbw_GBps", rate ? JsonRow(*rate) : JsonRow()},
                {"is_of_drift", envelope.is_of_drift},
                {"latest", history::name(envelope.judge(chain.launches.back().time_us))}});
    return row;
  }

  SelectionFlags selection_;
  double percent_ = 99;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_normal(Flags& program) { return std::make_unique<NormalCommand>(program); }

}  // namespace ringmark::history
