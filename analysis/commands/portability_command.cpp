#include <algorithm>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/recommend/portability.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

class PortabilityCommand final : public Command {
 public:
  explicit PortabilityCommand(Flags& program)
      : Command(program.subcommand("portability", "performance portability over platforms (Pennycook's metric)")) {
    input_.declare(flags);
    flags.group("Platforms");
    flags.text("--by", by_, "column that identifies the platform", "COLUMN");
    flags.toggle("--reference", is_reference_,
                 "the files are tables with a configuration per row and a platform per column");
    flags.group("Output");
    flags.file("--json", json_, "also write the values to this file, portability/1");
    flags.examples({"ringmark-analyze portability results", "ringmark-analyze portability results --by transport",
                    "ringmark-analyze portability --reference results/reference/zero_throughput.csv"});
  }

  void check_flags() override {
    if (is_reference_ && !input_.where.empty())
      flags.problem("--where", "has no effect with --reference, whose files have no result columns", "leave it out");
  }

  int run() const override {
    if (is_reference_) {
      for (const auto& file : input_.files) {
        const auto platforms = platforms_from_csv(file, whole_file(file, file));
        show("", file, platforms);
      }
      write();
      return exit_ok;
    }
    const auto results = input_.read();
    const auto all = platforms_from_results(results.table, Input::usable(results.table), by_);
    if (all.empty()) throw BadUsage(fmt::format("no row has both a busbw and a value for {}", by_));
    const bool any_to_tell = std::any_of(all.begin(), all.end(), [](const auto& each) {
      return each.second.platforms.size() > 1 || each.second.performance.size() > 1;
    });
    if (!any_to_tell)
      throw BadUsage(
          fmt::format("only one {} and one configuration: nothing to compare; add the results of another", by_));
    for (const auto& [title, platforms] : all) show("\n", title, platforms);
    write();
    return exit_ok;
  }

 private:
  void show(const char* end, const std::string& title, const Platforms& platforms) const {
    const auto figures = portability(platforms);
    say("{}{}", print(title, platforms, figures), end);
    for (auto& row : json_rows_of(title, platforms, figures)) rows_.push_back(std::move(row));
  }
  void write() const {
    if (!json_.empty()) write_file(json_, json_rows(rows_));
  }

  Input input_;
  std::string by_ = "network";
  bool is_reference_ = false;
  std::string json_;
  mutable std::vector<JsonRow> rows_;
};

}  // namespace

std::unique_ptr<Command> add_portability(Flags& program) { return std::make_unique<PortabilityCommand>(program); }

}  // namespace ringmark::analysis
