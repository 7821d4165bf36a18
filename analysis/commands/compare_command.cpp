#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/compare_text.hpp"
#include "analysis/groups.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

/// "5%" and "5"; 0.05 is said with a sign, since it may be meant as a share.
std::optional<double> percent(std::string text) {
  const bool has_sign = text.ends_with('%');
  if (has_sign) text.pop_back();
  double value{};
  if (!CLI::detail::lexical_cast(text, value) || !(value >= 0 && value < 1e6)) return std::nullopt;
  if (!has_sign && value > 0 && value < 1) return std::nullopt;
  return value;
}

struct CompareCommand {
  Input input;
  CompareOptions options;
  std::string fail_if_slower, csv;

  int run() const {
    std::optional<double> limit;
    if (!fail_if_slower.empty()) {
      limit = percent(fail_if_slower);
      if (!limit) throw BadUsage(fmt::format("--fail-if-slower {}: give a percentage, such as 5%", fail_if_slower));
    }
    auto results = input.read();
    add_configurations(results.table);
    const auto rows = Input::usable(results.table);
    const auto result = compare(results.table, rows, options);
    if (result.by != "file") tell_of_pooled_files(results.table, rows);
    fmt::print("{}", print(result));
    if (!csv.empty()) write_file(csv, to_csv(result));
    if (result.comparisons.empty()) throw BadUsage("nothing could be compared; the lines above say why");
    if (!limit) return exit_ok;
    const auto count = [&](const auto& is) {
      return std::count_if(result.comparisons.begin(), result.comparisons.end(), is);
    };
    const auto slower = count([&](const Comparison& each) { return is_slower_than(each, *limit); });
    const auto untold = count([](const Comparison& each) { return each.verdict == Verdict::too_few; });
    const auto unsure = count([&](const Comparison& each) { return may_be_slower_than(each, *limit); });
    fmt::print("gate: {} of {} are shown slower, with medians more than {} % apart\n", slower,
               result.comparisons.size(), *limit);
    if (slower > 0) return 1;
    if (untold > 0 || unsure > 0 || !result.refused.empty() || !result.unmatched.empty()) {
      throw BadUsage(fmt::format(
          "--fail-if-slower: cannot tell: {} comparisons have too few launches, {} have medians that far apart "
          "which nothing shows to differ, {} are refused, {} have no counterpart; five launches of each setting tell "
          "(--repetition, or a sweep's repetitions)",
          untold, unsure, result.refused.size(), result.unmatched.size()));
    }
    return exit_ok;
  }
};

}  // namespace

Command add_compare(CLI::App& app) {
  auto command = std::make_shared<CompareCommand>();
  auto& flags = *app.add_subcommand("compare", "is one setting really faster than another, and where");
  command->input.add_to(flags);
  flags.add_option("--by", command->options.by,
                   "the column to compare by: transport, network, NCCL_ALGO, file, … (the first that varies)");
  flags.add_option("--baseline", command->options.baseline,
                   "its value to compare against (unset, or the first in order)");
  flags.add_option("--fail-if-slower", command->fail_if_slower,
                   "exit with 1 if anything is shown slower by more than so many percent");
  flags.add_option("--csv", command->csv, "write the comparisons to a file as well");
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis
