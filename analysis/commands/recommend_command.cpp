#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/groups.hpp"
#include "analysis/recommend.hpp"
#include "analysis/recommended_files.hpp"
#include "base/exit_status.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

struct RecommendCommand {
  Input input;
  std::optional<std::string> baseline;
  std::string folder;

  int run() const {
    auto results = Input::read_all(input.files, input.options);
    const auto scope = scope_of(results.table);
    input.keep_asked(results);
    add_configurations(results.table);
    const auto rows = Input::usable(results.table);
    tell_of_pooled_files(results.table, rows);
    auto recommendation = recommend(results.table, rows, baseline);
    if (!input.where.empty()) recommendation.finding += fmt::format(" ({})", input.asked());
    fmt::print("{}\n", recommendation.finding);
    for (const auto& line : recommendation.evidence) fmt::print("  {}\n", line);
    const auto files = ready_files(recommendation, results.table, scope);
    for (const auto& [name, text] : files) {
      if (folder.empty()) {
        fmt::print("\n== {}\n{}", name, text);
      } else {
        std::filesystem::create_directories(folder);
        write_file(folder + "/" + name, text);
        fmt::print("wrote {}/{}\n", folder, name);
      }
    }
    if (files.empty() && !folder.empty()) fmt::print("wrote nothing: there is nothing to set\n");
    return exit_ok;
  }
};

}  // namespace

Command add_recommend(CLI::App& app) {
  auto command = std::make_shared<RecommendCommand>();
  auto& flags =
      *app.add_subcommand("recommend", "ready files: best.env, nccl.conf, nccl_tuner.csv, or keep the default");
  command->input.add_to(flags);
  flags.add_option("--baseline", command->baseline,
                   "the configuration to compare against (everything unset, or the first in order)");
  flags.add_option("-o,--output", command->folder, "folder for the files (printed)");
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis
