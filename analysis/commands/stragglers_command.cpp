#include <algorithm>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/stragglers/stragglers.hpp"
#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class StragglersCommand final : public Command {
 public:
  explicit StragglersCommand(Flags& program)
      : Command(program.subcommand("stragglers", "the rank, host or link that the others wait for")) {
    input_.declare(flags);
    declare_samples(flags, samples_);
    flags.group("Output");
    flags.file("--json", json_, "also write the findings to this file, straggler/1");
    flags.examples({"ringmark-analyze stragglers results links.csv",
                    "ringmark-analyze stragglers steps.csv --samples steps.jsonl",
                    "ringmark-analyze stragglers results --where transport=tcp"});
  }

  int run() const override {
    const auto results = input_.read();
    const auto links = links_of(results.table, Input::usable(results.table));
    const auto operations = input_.samples(samples_, results.table);
    if (links.launches.empty() && operations.empty()) {
      throw BadUsage(
          "no samples or links to examine: give a sweep folder, --samples FILE, or the CSV of ringmark-link --pairs "
          "all");
    }
    auto found = late_ranks(operations);
    const auto slow = slow_links(links.launches, links.names);
    found.insert(found.end(), slow.begin(), slow.end());
    const LookedAt looked_at{.entries = !operations.empty(), .links = !links.launches.empty()};
    const auto steps =
        std::count_if(operations.begin(), operations.end(), [](const auto& each) { return each.is_step; });
    say("examined entry times of {} operations, {} replayed training steps and {} link matrices\n{}",
        static_cast<std::ptrdiff_t>(operations.size()) - steps, steps, links.launches.size(), print(found, looked_at));
    for (const auto& shortage :
         {operations.empty() ? "" : too_few_to_tell(operations), too_few_to_tell(links), blind_spot(looked_at)}) {
      if (!shortage.empty()) say("{}\n", shortage);
    }
    if (!json_.empty()) write_file(json_, to_json(found));
    return exit_ok;
  }

 private:
  Input input_;
  std::vector<std::string> samples_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> add_stragglers(Flags& program) { return std::make_unique<StragglersCommand>(program); }

}  // namespace ringmark::analysis
