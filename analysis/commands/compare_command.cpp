#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/compare/compare_text.hpp"
#include "analysis/compare/gate.hpp"
#include "analysis/compare/published_baseline.hpp"
#include "analysis/compare/question.hpp"
#include "analysis/history/history_baseline.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/where.hpp"
#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "base/write_file.hpp"
#include "results/schema/status.hpp"

namespace ringmark::analysis {
namespace {

/// Reads "5%" and "5". A value below 1 needs the percent sign, since 0.05 might mean 5 %.
std::optional<double> percent(std::string text) {
  const bool has_sign = text.ends_with('%');
  if (has_sign) text.pop_back();
  double value{};
  if (!read_number(text, 0.0, 1e6, value)) return std::nullopt;
  if (!has_sign && value > 0 && value < 1) return std::nullopt;
  return value;
}

/// The case with the lowest share of the baseline's speed.
std::string lowest_in_words(const CompareResult& result) {
  const auto& lowest = *std::max_element(result.comparisons.begin(), result.comparisons.end(),
                                         [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  return fmt::format("lowest: {:.1f} % of the baseline's speed: {}, {}", 100 / lowest.ratio, lowest.case_name,
                     format_size(lowest.size_bytes));
}

class CompareCommand final : public Command {
 public:
  explicit CompareCommand(Flags& program)
      : Command(program.subcommand("compare", "is one setting really faster than another, and where")) {
    input_.declare(flags);
    flags.group("Comparison");
    flags
        .text("--by", options_.by,
              "column to compare by: transport, network, NCCL_ALGO, file, …; by default the first that varies, or "
              "'beside' if groups ran both alone and alongside others and neither --baseline nor --fail-if-slower is "
              "given",
              "COLUMN")
        .may_be_empty();
    flags
        .text("--baseline", options_.baseline,
              "value of that column to compare with; by default the unset value, or the first in order", "VALUE")
        .may_be_empty();
    store_.declare(flags);
    flags
        .text("--published", published_,
              "compare with published results of a GPU, such as h100_sxm, or of a GPU on a type of network, such as "
              "h100_sxm:efa",
              "GPU")
        .may_be_empty();
    flags.word(
        "--fail-if-slower", "PERCENT", "",
        [this](const std::string& word) {
          limit_percent_ = percent(word);
          return limit_percent_ ? "" : "give a percentage, such as 5%";
        },
        "exit with 1 if anything is significantly slower and may have slowed down by this much, with 5 if undecided");
    flags.group("Output");
    flags.file("--csv", csv_, "also write the comparisons to this file");
    flags.file("--json", json_, "the same as an array of JSON objects, comparison/1");
    flags.examples({"ringmark-analyze compare results --by configuration",
                    "ringmark-analyze compare results --by NCCL_ALGO --baseline Ring --where size_bytes=1M..",
                    "ringmark-analyze compare before.csv after.csv --by file --fail-if-slower 5%",
                    "ringmark-analyze compare 'before/*.log' 'after/*.log' --by file",
                    "ringmark-analyze compare tonight --store history.db --cluster a100 --fail-if-slower 5%",
                    "ringmark-analyze compare all_reduce_perf.log --published h100_sxm:ib"});
  }

  int run() const override {
    auto results = input_.read();
    auto options = options_;
    const bool has_named_baseline = store_.is_asked() || !published_.empty();
    if (has_named_baseline) add_named_baseline(results, options);
    add_configurations(results.table);
    const auto rows = Input::usable(results.table);
    options.slowdowns_first = !limit_percent_;  // a gate asks what changed, not what runs alongside
    const auto result = compare(results.table, rows, options);
    if (result.by != "file") tell_of_pooled_files(results.table, rows);
    say("{}", print(result, has_named_baseline));
    if (has_named_baseline && !result.comparisons.empty()) say("{}\n", lowest_in_words(result));
    if (!csv_.empty()) write_file(csv_, to_csv(result));
    if (!json_.empty()) write_file(json_, to_json(result));
    if (result.comparisons.empty()) throw BadUsage("nothing could be compared; the lines above explain why");
    if (!limit_percent_) return exit_ok;
    auto gate = judge(result, *limit_percent_);
    if (auto failures = failed_rows_in_words(results.table, result.by, result.baseline); !failures.empty())
      gate.undecided.push_back(std::move(failures));
    say("{}", analysis::print(gate, *limit_percent_));
    switch (gate.outcome()) {
      case GateOutcome::failed:
        return exit_wrong;
      case GateOutcome::undecided:
        return exit_undecided;
      case GateOutcome::passed:
        break;
    }
    return exit_ok;
  }

 private:
  /// Describes the rows, other than the baseline's, with wrong data or no time: a gate does not pass if there are any.
  /// Empty if there are none.
  static std::string failed_rows_in_words(const Table& table, const std::string& by, const std::string& baseline) {
    std::size_t failed = 0, first = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto status = parse_status(table.text("status")[row]);
      const bool has_failed = status && (*status == Status::wrong || is_failure(*status));
      if (!has_failed || table.cell(row, by) == baseline) continue;
      if (failed++ == 0) first = row;
    }
    if (failed == 0) return "";
    return fmt::format("{} with wrong or missing data ({}: {})", with_count(failed, "row"), table.where(first),
                       table.text("status")[first]);
  }

  void add_named_baseline(Results& results, CompareOptions& options) const {
    const std::string flag = store_.is_asked() ? "--store" : "--published";
    const auto refuse = [&](const std::string& other) {
      throw BadUsage(
          Problem{.flag = other, .text = fmt::format("cannot be combined with {}", flag), .remedy = "leave it out"});
    };
    if (!options.by.empty() && options.by != "file") refuse("--by");
    if (store_.is_asked() && !published_.empty()) refuse("--published");
    if (!published_.empty() && options.baseline) refuse("--baseline");
    // All files are launches of one side.
    std::vector<std::size_t> rows(results.table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (values_in(results.table, rows, "file").size() > 1)
      results.table.set_text("file", std::vector<std::string>(results.table.rows(), "these results"));
    const auto added =
        published_.empty() ? store_.add_to(results.table, options.baseline) : add_published(results.table, published_);
    keep_where(results.table, input_.where);
    options.by = "file";
    options.baseline = added.file;
    options.is_baseline_exact = !published_.empty();
    options.is_baseline_alike = store_.is_asked();
    say("{}\n", added.note);
  }

  Input input_;
  HistoryBaseline store_;
  CompareOptions options_;
  std::optional<double> limit_percent_;
  std::string published_, csv_, json_;
};

}  // namespace

std::unique_ptr<Command> add_compare(Flags& program) { return std::make_unique<CompareCommand>(program); }

}  // namespace ringmark::analysis
