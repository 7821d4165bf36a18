#include "accept/accept_main.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/ladder.hpp"
#include "accept/report.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags.hpp"
#include "base/input.hpp"
#include "base/run_program.hpp"
#include "base/write_file.hpp"
#include "results/provenance.hpp"
#include "sweeps/process_group.hpp"
#include "sweeps/progress.hpp"

namespace ringmark::accept {
namespace {

struct Options {
  std::string criteria, folder;
};

constexpr std::uint64_t most_criteria_bytes = std::uint64_t{1} << 20U;

/// A folder holds the measurements of one file of criteria.
void check_folder(const std::string& folder, const std::string& text) {
  const auto copy = folder + "/criteria.yaml";
  std::error_code unknown;
  if (!std::filesystem::exists(folder, unknown) || std::filesystem::is_empty(folder, unknown)) {
    std::filesystem::create_directories(folder);
    write_file(copy, text);
  } else if (!std::filesystem::exists(copy, unknown) || whole_file(copy, copy, most_criteria_bytes) != text) {
    throw BadUsage(Problem{.flag = "-o",
                           .value = folder,
                           .text = "holds something else than measurements by these criteria",
                           .remedy = "give a new folder"});
  }
}

int status_of(Outcome outcome) {
  constexpr int exit_fails = 1;
  return outcome == Outcome::pass ? exit_ok : outcome == Outcome::fail ? exit_fails : exit_undecided;
}

int accept(const Options& options) {
  const auto text = whole_file(options.criteria, options.criteria, most_criteria_bytes);
  auto [criteria, problems] = read_criteria(text, options.criteria);
  if (problems.empty()) problems = argument_problems(criteria, options.criteria);
  if (!problems.empty()) throw BadUsage(problems);
  check_folder(options.folder, text);
  fmt::print(
      "# ringmark accept{}{}: {} hosts; a loss of {:g} % is to be found; false alarms {:g} per cluster, misses {:g}\n",
      criteria.name.empty() ? "" : " ", criteria.name, criteria.fabric.hosts.size(), 100 * criteria.rates.loss,
      criteria.rates.false_alarm, criteria.rates.miss);
  try {
    Cluster cluster(criteria, options.folder);
    const auto result = climb(criteria, cluster, [](const RungResult& rung) {
      fmt::print("{}", in_words(rung));
      flush_output();
    });
    fmt::print("{}", in_words(result));
    write_file(options.folder + "/verdict.json", as_json(criteria, result));
    const auto drain = drain_list(result);
    write_file(options.folder + "/drain", drain.empty() ? "" : fmt::format("{}\n", fmt::join(drain, "\n")));
    return status_of(result.outcome);
  } catch (const sweep::Interrupted& interrupted) {
    sweep::tell(fmt::format("ringmark-accept: stopped; the same command goes on with what is in {}\n", options.folder));
    return interrupted.exit_status();
  }
}

}  // namespace

int accept_main(int argc, const char* const* argv) {
  Options options;
  Flags flags("ringmark-accept", "Says whether a cluster is as it should be, and which host, link or leaf is to blame.",
              "ringmark " + version());
  flags.file("criteria", options.criteria, "the YAML file with the hosts and the loss that matters").required();
  flags.text("-o,--output", options.folder, "folder for the measurements, verdict.json and drain", "FOLDER").required();
  std::string keys = "Keys of the file (docs/ACCEPT.md has an example):\n";
  for (const auto& [name, meaning] : all_criteria_keys()) keys += fmt::format("  {:<16}{}\n", name, meaning);
  flags.examples({"ringmark-accept criteria.yaml -o verdict", "ringmark-accept rack7.yaml -o rack7 && echo healthy"},
                 keys + "Exit status: 0 pass, 1 fail, 5 undecided, 2 bad usage, 3 a failure at run time.");
  const auto parsed = flags.read(options, argc, argv, [] {});
  if (parsed.exit_status) return leave_with(parsed);
  return accept(parsed.options);
}

}  // namespace ringmark::accept
