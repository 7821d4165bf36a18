#include "analysis/analyze_main.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/compare_text.hpp"
#include "analysis/fit.hpp"
#include "analysis/groups.hpp"
#include "analysis/plan/workbook.hpp"
#include "analysis/portability.hpp"
#include "analysis/recommend.hpp"
#include "analysis/report/report.hpp"
#include "analysis/run_facts.hpp"
#include "analysis/stragglers.hpp"
#include "analysis/waterfall.hpp"
#include "results/provenance.hpp"
#include "results/write_file.hpp"
#include "transports/errors.hpp"
#include "transports/exit_status.hpp"

namespace ringmark::analysis {
namespace {

void tell(const std::string& text) { fmt::print(stderr, "ringmark-analyze: {}\n", text); }

/// What most subcommands begin with: files, and which of their rows say something.
struct Input {
  std::vector<std::string> files;
  ReadOptions options;

  void add_to(CLI::App& command) {
    command.add_option("results", files, "result files, or folders of sweeps; also of nccl-tests, OSU and IMB")
        ->required();
    command.add_option("--ranks", options.ranks, "of files that do not say it (OSU)")->check(CLI::Range(1, 1 << 24));
  }

  Results read() const {
    auto results = read_results(files, options);
    for (const auto& note : results.notes) tell(note);
    return results;
  }

  /// Of the files named, and of those that lie beside the results of the folders given.
  std::vector<EntryTimes> samples(std::vector<std::string> named) const {
    for (const auto& file : files) {
      const auto beside = std::filesystem::path(file) / "samples.jsonl";
      if (std::filesystem::exists(beside)) named.push_back(beside.string());
    }
    std::vector<EntryTimes> all;
    for (const auto& file : named) {
      auto some = read_samples(file);
      all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return all;
  }

  static std::vector<std::size_t> usable(const Table& table) {
    std::vector<std::string> notes;
    auto rows = usable_rows(table, notes);
    for (const auto& note : notes) tell(note);
    if (rows.empty()) throw BadUsage("no row was measured; the notes above say why");
    return rows;
  }
};

/// "5" and "5%".
std::optional<double> percent(std::string text) {
  if (text.ends_with('%')) text.pop_back();
  double value{};
  if (!CLI::detail::lexical_cast(text, value) || !(value >= 0 && value < 1e6)) return std::nullopt;
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
    const auto result = compare(results.table, Input::usable(results.table), options);
    fmt::print("{}", print(result));
    if (!csv.empty()) write_file(csv, to_csv(result));
    if (result.comparisons.empty()) throw BadUsage("nothing could be compared; the lines above say why");
    if (!limit) return exit_ok;
    const auto count = [&](const auto& is) {
      return std::count_if(result.comparisons.begin(), result.comparisons.end(), is);
    };
    const auto slower = count([&](const Comparison& each) { return is_slower_than(each, *limit); });
    const auto untold = count([](const Comparison& each) { return each.verdict == Verdict::too_few; });
    if (slower > 0) {
      fmt::print("{} of {} are shown slower, with medians more than {} % apart\n", slower, result.comparisons.size(),
                 *limit);
    } else if (untold > 0 || !result.refused.empty() || !result.unmatched.empty()) {
      throw BadUsage(
          fmt::format("--fail-if-slower: cannot tell: {} comparisons have too few launches, {} are refused, {} have "
                      "no counterpart",
                      untold, result.refused.size(), result.unmatched.size()));
    }
    return slower > 0 ? 1 : exit_ok;
  }
};

struct FitCommand {
  Input input;
  std::vector<std::string> against;
  std::string output;
  std::optional<double> link_GBps;

  int run() const {
    const auto results = input.read();
    std::vector<std::string> notes;
    const auto rows = Input::usable(results.table);
    auto fit = fit_results(results.table, rows, notes);
    const auto facts = run_facts(input.files);
    for (auto& model : fit.models) model.hosts = hosts_of(model.run_ids, facts);
    for (const auto& note : notes) tell(note);
    if (fit.models.empty()) throw BadUsage("nothing can be fitted; the notes above say why");
    fmt::print("{}{}", print(fit), print(waterfalls(results.table, rows, link_GBps)));
    if (!output.empty()) write_file(output, to_json(fit));
    if (!against.empty()) {
      const auto others = read_results(against, input.options);
      fmt::print("\n{}", print(check(fit, others.table, Input::usable(others.table))));
    }
    return exit_ok;
  }
};

struct PortabilityCommand {
  Input input;
  std::string by = "network";
  bool is_reference = false;

  int run() const {
    if (is_reference) {
      for (const auto& file : input.files) {
        const auto platforms = platforms_from_csv(file, whole_file(file));
        fmt::print("{}", print(file, platforms, portability(platforms)));
      }
      return exit_ok;
    }
    const auto results = input.read();
    const auto all = platforms_from_results(results.table, Input::usable(results.table), by);
    if (all.empty()) throw BadUsage(fmt::format("no row has a busbw and says its {}", by));
    const bool any_to_tell = std::any_of(all.begin(), all.end(), [](const auto& each) {
      return each.second.platforms.size() > 1 || each.second.performance.size() > 1;
    });
    if (!any_to_tell)
      throw BadUsage(
          fmt::format("one {} and one configuration: there is nothing to port; give the results of another", by));
    for (const auto& [title, platforms] : all) fmt::print("{}\n", print(title, platforms, portability(platforms)));
    return exit_ok;
  }
};

struct StragglersCommand {
  Input input;
  std::vector<std::string> samples;

  int run() const {
    const auto results = input.read();
    const auto links = links_of(results.table, Input::usable(results.table));
    const auto operations = input.samples(samples);
    if (links.launches.empty() && operations.empty()) {
      throw BadUsage(
          "nothing to look at: give the folder of a sweep, --samples FILE, or the CSV of ringmark-link --pairs all");
    }
    auto found = late_ranks(operations);
    const auto slow = slow_links(links.launches, links.names);
    found.insert(found.end(), slow.begin(), slow.end());
    const auto steps =
        std::count_if(operations.begin(), operations.end(), [](const auto& each) { return each.is_step; });
    fmt::print("looked at the entries of {} operations, {} replays of training steps and {} link matrices\n{}",
               static_cast<std::ptrdiff_t>(operations.size()) - steps, steps, links.launches.size(), print(found));
    for (const auto& shortage : {operations.empty() ? "" : too_few_to_tell(operations), too_few_to_tell(links)}) {
      if (!shortage.empty()) fmt::print("{}\n", shortage);
    }
    return exit_ok;
  }
};

struct RecommendCommand {
  Input input;
  std::optional<std::string> baseline;
  std::string folder;

  int run() const {
    auto results = input.read();
    add_configurations(results.table);
    const auto rows = Input::usable(results.table);
    const auto recommendation = recommend(results.table, rows, baseline);
    fmt::print("{}\n", recommendation.finding);
    for (const auto& line : recommendation.evidence) fmt::print("  {}\n", line);
    const auto files = ready_files(recommendation, results.table);
    for (const auto& [name, text] : files) {
      if (folder.empty()) {
        fmt::print("\n== {}\n{}", name, text);
      } else {
        std::filesystem::create_directories(folder);
        write_file(folder + "/" + name, text);
        fmt::print("wrote {}/{}\n", folder, name);
      }
    }
    return exit_ok;
  }
};

struct PlanCommand {
  std::string file, fit, output;

  int run() const {
    std::optional<Fit> fitted;
    if (!fit.empty()) {
      try {
        fitted = fit_from_json(whole_file(fit));
      } catch (const std::invalid_argument& error) {
        throw BadUsage(fmt::format("{}: {}", fit, error.what()));
      }
    }
    const auto scenario = read_scenario(file, whole_file(file), fitted);
    const auto rows = make_plan(scenario);
    fmt::print("{}", print(scenario, rows));
    if (output.empty()) return exit_ok;
    auto csv = std::filesystem::path(output);
    if (csv.extension() != ".xlsx")
      throw BadUsage(fmt::format("-o {}: a plan is written as .xlsx, with a .csv beside it", output));
    csv.replace_extension(".csv");
    const auto text = plan_csv(scenario, rows);
    // A sweep's results.csv must not become a plan by a slip of the keyboard.
    const auto header = text.substr(0, text.find('\n'));
    if (std::filesystem::exists(csv) && !whole_file(csv.string()).starts_with(header)) {
      throw BadUsage(fmt::format("{} is there and no plan; give -o another name", csv.string()));
    }
    write_workbook(output, scenario, rows);
    write_file(csv.string(), text);
    fmt::print("wrote {} and {}\n", output, csv.string());
    return exit_ok;
  }
};

struct ReportCommand {
  Input input;
  CompareOptions comparison;
  std::vector<std::string> samples;
  std::optional<double> link_GBps;
  std::string output = "report.html", title = "Ringmark report";

  int run() const {
    auto results = input.read();
    add_configurations(results.table);
    write_file(output, report_html({results.table, results.notes, input.samples(samples), run_facts(input.files),
                                    comparison, link_GBps, title}));
    fmt::print("wrote {}\n", output);
    return exit_ok;
  }
};

int guarded(const std::function<int()>& command) try { return command(); } catch (const BadUsage& error) {
  std::fflush(stdout);
  tell(error.what());
  return exit_usage;
} catch (const std::exception& error) {
  std::fflush(stdout);
  tell(error.what());
  return exit_failed;
}

}  // namespace

int analyze_main(int argc, const char* const* argv) {
  CLI::App app("Turns results into decisions. Needs no MPI and no network.");
  app.set_version_flag("--version", "ringmark " + version());
  app.require_subcommand(1);

  CompareCommand comparing;
  auto* compare_app = app.add_subcommand("compare", "is one setting really faster than another, and where");
  comparing.input.add_to(*compare_app);
  compare_app->add_option("--by", comparing.options.by,
                          "the column to compare by: transport, network, NCCL_ALGO, file, … (the first that varies)");
  compare_app->add_option("--baseline", comparing.options.baseline,
                          "its value to compare against (unset, or the first in order)");
  compare_app->add_option("--fail-if-slower", comparing.fail_if_slower,
                          "exit with 1 if anything is shown slower by more than so many percent");
  compare_app->add_option("--csv", comparing.csv, "write the comparisons to a file as well");

  FitCommand fitting;
  auto* fit_app = app.add_subcommand("fit", "what a step and a byte cost, by each path and algorithm");
  fitting.input.add_to(*fit_app);
  fit_app->add_option("-o,--output", fitting.output, "write fit/1 for plan and for ringmark-replay predict");

  fit_app->add_option("--against", fitting.against,
                      "results that the fit does not see: what it predicts of them, and its error");
  const auto add_link_rate = [](CLI::App& command, std::optional<double>& link_GBps) {
    command.add_option("--link-GBps", link_GBps, "what the link is rated at, in 1e9 bytes/s: 12.5 for 100 Gbit/s")
        ->check(CLI::PositiveNumber);
  };
  add_link_rate(*fit_app, fitting.link_GBps);

  PortabilityCommand porting;
  auto* portability_app =
      app.add_subcommand("portability", "performance portability over platforms (Pennycook's metric)");
  porting.input.add_to(*portability_app);
  portability_app->add_option("--by", porting.by, "the column that tells platforms apart")->capture_default_str();
  portability_app->add_flag("--reference", porting.is_reference,
                            "the files are tables: a configuration per row, a platform per column");

  StragglersCommand straggling;
  auto* stragglers_app = app.add_subcommand("stragglers", "the rank, host or link that the others wait for");
  straggling.input.add_to(*stragglers_app);
  stragglers_app->add_option("--samples", straggling.samples,
                             "samples of the runs, as JSON lines (those in the folders given)");

  RecommendCommand recommending;
  auto* recommend_app =
      app.add_subcommand("recommend", "ready files: best.env, nccl.conf, nccl_tuner.csv, or keep the default");
  recommending.input.add_to(*recommend_app);
  recommend_app->add_option("--baseline", recommending.baseline,
                            "the configuration to compare against (everything unset, or the first in order)");
  recommend_app->add_option("-o,--output", recommending.folder, "folder for the files (printed)");

  PlanCommand planning;
  auto* plan_app =
      app.add_subcommand("plan", "memory, step time, days and cost of training, by cluster, ZeRO stage and nodes");
  plan_app->add_option("scenario", planning.file, "YAML: models, training, clusters")->required();
  plan_app->add_option("--fit", planning.fit, "fit/1, for clusters that name a transport instead of alpha and rate");
  plan_app->add_option("-o,--output", planning.output, "the spreadsheet, with live formulas; a .csv goes beside it");

  ReportCommand reporting;
  auto* report_app = app.add_subcommand("report", "one self-contained page with charts, tables and provenance");
  reporting.input.add_to(*report_app);
  report_app->add_option("-o,--output", reporting.output, "the page")->capture_default_str();
  report_app->add_option("--by", reporting.comparison.by, "the column to compare by (the first that varies)");
  report_app->add_option("--baseline", reporting.comparison.baseline, "its value to compare against");
  report_app->add_option("--samples", reporting.samples,
                         "samples of the runs, as JSON lines (those in the folders given)");
  report_app->add_option("--title", reporting.title, "title of the page")->capture_default_str();
  add_link_rate(*report_app, reporting.link_GBps);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return guarded([&] {
    if (compare_app->parsed()) return comparing.run();
    if (fit_app->parsed()) return fitting.run();
    if (portability_app->parsed()) return porting.run();
    if (stragglers_app->parsed()) return straggling.run();
    if (recommend_app->parsed()) return recommending.run();
    if (plan_app->parsed()) return planning.run();
    return reporting.run();
  });
}

}  // namespace ringmark::analysis
