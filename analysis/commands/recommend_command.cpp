#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/recommend/recommend.hpp"
#include "analysis/recommend/recommended_files.hpp"
#include "analysis/table/column_roles.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class RecommendCommand final : public Command {
 public:
  explicit RecommendCommand(Flags& program)
      : Command(program.subcommand(
            "recommend", "ready-to-use best.env, nccl.conf and nccl_tuner.csv, or advice to keep the default")) {
    input_.declare(flags);
    flags.group("Comparison");
    flags
        .text("--baseline", baseline_,
              "configuration to compare with; by default everything unset, or the first in order", "VALUE")
        .may_be_empty();
    flags.group("Output");
    flags.text("-o,--output", folder_, "folder for the files; without it they are printed", "FOLDER");
    flags.file("--json", json_, "write the best configuration for each range of sizes, recommendation/1");
    flags.examples({"ringmark-analyze recommend results", "ringmark-analyze recommend results -o ready",
                    "ringmark-analyze recommend results --where size_bytes=1M.. --baseline NCCL_ALGO=Ring"});
  }

  int run() const override {
    auto results = Input::read_all(input_.files, input_.options);
    const auto scope = scope_of(results.table);
    input_.keep_asked(results);
    add_configurations(results.table);
    const auto rows = Input::usable(results.table);
    tell_of_pooled_files(results.table, rows);
    auto recommendation = recommend(results.table, rows, baseline_);
    if (!input_.where.empty()) recommendation.finding += fmt::format(" ({})", input_.asked());
    say("{}\n", recommendation.finding);
    for (const auto& line : recommendation.evidence) say("  {}\n", line);
    if (!json_.empty()) write_file(json_, to_json(recommendation));
    const auto files = ready_files(recommendation, results.table, scope);
    for (const auto& [name, text] : files) {
      if (folder_.empty()) {
        say("\n== {}\n{}", name, text);
      } else {
        std::filesystem::create_directories(folder_);
        write_file(folder_ + "/" + name, text);
        say("wrote {}/{}\n", folder_, name);
      }
    }
    if (files.empty() && !folder_.empty()) say("wrote nothing: there is nothing to set\n");
    return exit_ok;
  }

 private:
  Input input_;
  std::optional<std::string> baseline_;
  std::string folder_, json_;
};

}  // namespace

std::unique_ptr<Command> add_recommend(Flags& program) { return std::make_unique<RecommendCommand>(program); }

}  // namespace ringmark::analysis
