#include "accept/accept_main.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/expected_rates.hpp"
#include "accept/fabric/lab_fabric.hpp"
#include "accept/judge/verdict_head.hpp"
#include "accept/page/page.hpp"
#include "accept/report.hpp"
#include "accept/run_stages.hpp"
#include "accept/soak/soak.hpp"
#include "accept/soak/soak_verdict.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags/flags.hpp"
#include "base/flags/run_program.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "base/text/duration_text.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "history/input/record_run.hpp"
#include "results/files/provenance.hpp"
#include "sweeps/launch/process_group.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::accept {
namespace {

struct Options {
  std::string criteria, folder;
  std::optional<std::chrono::milliseconds> soak;
  history::HistoryOptions history;
};

constexpr std::uint64_t most_criteria_bytes = std::uint64_t{1} << 20U;

/// The budget bounds a run, and does not change what is measured.
std::string without_budget(const std::string& text) {
  std::string kept, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (!line.starts_with("budget:")) kept += line + "\n";
  }
  return kept;
}

/// A folder holds the measurements of one criteria file, except for its budget.
void check_folder(const std::string& folder, const std::string& text) {
  const auto copy = folder + "/criteria.yaml";
  std::error_code unknown;
  if (std::filesystem::exists(folder, unknown) && !std::filesystem::is_directory(folder, unknown))
    throw BadUsage(
        Problem{.flag = "-o", .value = folder, .text = "is not a folder", .remedy = "give a new or empty folder"});
  if (!std::filesystem::exists(folder, unknown) || std::filesystem::is_empty(folder, unknown)) {
    std::filesystem::create_directories(folder);
    write_file(copy, text);
  } else if (without_budget(read_if_readable(copy)) != without_budget(text)) {
    throw BadUsage(Problem{.flag = "-o",
                           .value = folder,
                           .text = "contains measurements made with other criteria",
                           .remedy = "give a new folder"});
  }
}

int status_of(Outcome outcome) {
  constexpr int exit_fails = 1;
  return outcome == Outcome::pass ? exit_ok : outcome == Outcome::fail ? exit_fails : exit_undecided;
}

std::string soak_file(const Options& options) { return options.folder + "/soak.json"; }

/// The log of an interrupted soak; empty if there is none.
SoakLog earlier_soak(const Options& options) {
  const auto file = soak_file(options), text = read_if_readable(file);
  if (text.empty()) return {};
  try {
    return read_soak_log(text);
  } catch (const std::invalid_argument& error) {
    throw BadUsage(Problem{.flag = "--for",
                           .text = fmt::format("{} is not a soak log: {}", file, error.what()),
                           .remedy = "remove the file to start the soak again"});
  }
}

void add_soak(const Criteria& criteria, Cluster& cluster, const Options& options, SoakLog before,
              AcceptanceResult& result) {
  result.soak = soak(criteria, cluster, std::move(before), {*options.soak},
                     [&](const SoakLog& log) { write_file(soak_file(options), as_json(log)); });
  result.stages.push_back(judged(criteria, *result.soak));
  result.outcome = result.stages.back().outcome;
}

/// The folder's copy of the criteria was made when its measurements began.
VerdictRun run_until_now(const Options& options) {
  const auto begun =
      std::chrono::file_clock::to_sys(std::filesystem::last_write_time(options.folder + "/criteria.yaml"));
  return {options.criteria, utc_text(std::chrono::time_point_cast<std::chrono::seconds>(begun)), now_utc()};
}

void write_verdict(const Criteria& criteria, const Options& options, const AcceptanceResult& result) {
  const auto run = run_until_now(options);
  write_file(options.folder + "/verdict.json", as_json(criteria, result, run));
  write_file(options.folder + "/verdict.html", as_page(criteria, result, run));
  const auto drain = drain_list(result);
  write_file(options.folder + "/drain", drain.empty() ? "" : fmt::format("{}\n", fmt::join(drain, "\n")));
}

int accept(const Options& options) {
  const auto text = whole_file(options.criteria, options.criteria, most_criteria_bytes);
  const char* lab = std::getenv(lab_fabric_variable);
  auto [criteria, problems] = read_criteria(text, options.criteria, lab == nullptr ? "" : lab);
  if (problems.empty()) problems = argument_problems(criteria, options.criteria, options.soak);
  if (!problems.empty()) throw BadUsage(problems);
  const auto expected = fill_in_expected_rates(criteria, options.history);
  history::check_store(options.history);
  check_folder(options.folder, text);
  auto before = options.soak ? earlier_soak(options) : SoakLog{};
  say("{}{}", in_words(head_of(criteria, run_until_now(options))), expected);
  try {
    LaunchedCluster cluster(criteria, options.folder);
    const auto tell = [](const StageResult& stage) {
      say("{}", in_words(stage));
      flush_output();
    };
    auto result = run_stages(criteria, cluster, tell);
    if (options.soak && result.outcome == Outcome::pass) {
      // A soak takes hours, and may be interrupted.
      auto so_far = result;
      so_far.left_out.push_back(Stage::soak);
      write_verdict(criteria, options, so_far);
      add_soak(criteria, cluster, options, std::move(before), result);
      tell(result.stages.back());
    } else if (options.soak) {
      result.left_out.push_back(Stage::soak);
    }
    say("{}", in_words(result));
    write_verdict(criteria, options, result);
    history::record_run(options.history, options.folder);
    return status_of(result.outcome);
  } catch (const sweep::Interrupted& interrupted) {
    sweep::tell(
        fmt::format("ringmark-accept: stopped; run the same command again to continue from {}\n", options.folder));
    return interrupted.exit_status();
  }
}

}  // namespace

int accept_main(int argc, const char* const* argv) {
  Options options;
  Flags flags("ringmark-accept",
              "Checks whether a cluster performs as it should, and names the host, link or leaf at fault.",
              "ringmark " + version());
  flags.file("criteria", options.criteria, "YAML file with the hosts and the smallest loss of performance that matters")
      .required();
  flags
      .text("-o,--output", options.folder, "folder for the measurements, verdict.json, verdict.html and drain",
            "FOLDER")
      .required();
  flags.word(
      "--for", "TIME", "",
      [&options](const std::string& word) -> std::string {
        options.soak = parse_time(word);
        return options.soak ? "" : "give a time, such as 20s, 90min or 24h";
      },
      "after a pass, keep running collectives for this long in total, then report events and a trend");
  history::declare_history(flags, options.history);
  std::string keys = "Keys of the file (docs/guide/accept.md has an example):\n";
  for (const auto& [name, meaning] : all_criteria_keys()) keys += fmt::format("  {:<16}{}\n", name, meaning);
  flags.examples({"ringmark-accept criteria.yaml -o verdict", "ringmark-accept rack7.yaml -o rack7 && echo healthy",
                  "ringmark-accept criteria.yaml -o verdict --for 24h"},
                 keys + "Exit status: 0 pass, 1 fail, 5 undecided, 2 bad usage, 3 a failure at run time.");
  const auto parsed = flags.read(options, argc, argv, [] {});
  if (parsed.exit_status) return leave_with(parsed);
  return accept(parsed.options);
}

}  // namespace ringmark::accept
