#include "bench/flags/run_options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/flags/nccl_tests_flags.hpp"
#include "results/files/provenance.hpp"

namespace ringmark {
namespace {

std::string names_of_transports() {
  std::vector<std::string_view> names;
  for (const auto transport : all_transports()) names.push_back(name(transport));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string version_line() { return "ringmark " + version(); }

void declare_algorithm(Flags& flags, std::string& algorithm, RunOptions& options,
                       std::span<const std::string_view> names) {
  flags.word(
      "--algorithm", "NAME", algorithm,
      [&algorithm, &options,
       names = std::vector<std::string_view>(names.begin(), names.end())](const std::string& word) {
        constexpr std::string_view with_file = "auto:";
        const bool has_file = word.starts_with(with_file) && word.size() > with_file.size();
        if (!has_file && word != "auto" && std::find(names.begin(), names.end(), word) == names.end())
          return fmt::format("give one of auto, auto:FILE, {}", fmt::join(names, ", "));
        algorithm = has_file ? "auto" : word;
        options.algorithms_path = has_file ? word.substr(with_file.size()) : "";
        return std::string();
      },
      fmt::format("the schedule: auto (times likely candidates for each size), auto:FILE (reuses choices in "
                  "the file and adds new ones), or one of {}",
                  fmt::join(names, ", ")));
}

void refuse_algorithm(Flags& flags, const RunOptions& options, const std::string& algorithm) {
  if (has_own_schedules(options.transport) || (algorithm == "auto" && options.algorithms_path.empty())) return;
  const auto& facts = facts_of(options.transport);
  flags.problem("--algorithm", fmt::format("with --transport {}, {} chooses the algorithm", facts.name, facts.library),
                facts.algorithm_variable.empty()
                    ? "leave it at auto"
                    : fmt::format("leave it at auto, or set {}", facts.algorithm_variable));
}

void RunFlags::declare_duration(Flags& flags) {
  constexpr int most_iterations = 1'000'000;
  constexpr double day_s = 86400;
  flags.group(heading::duration);
  flags.number("-n,--iters", options_.iterations, 1, most_iterations, "measure exactly this many iterations");
  flags.number("-w,--warmup", options_.warmup, 0, most_iterations,
               "untimed iterations before each measurement, of the same size");
  flags.percent("--precision", options_.precision_percent, 0.01, 100,
                "stop when the median's 95 % interval is within this percentage");
  flags.seconds("--max-time", options_.max_time, 0.001, day_s, "stop measuring a row after this time");
  flags.seconds("--timeout", options_.timeout, 0.1, day_s, "fail if a peer does not answer for this long");
}

void RunFlags::declare_output(Flags& flags) {
  flags.group(heading::output);
  flags.file("--csv", options_.csv_path, "append a row per result to this file");
  flags.file("--json", options_.json_path, "also add the rows to this file, as an array of JSON objects");
  flags.file(
      "--failures", options_.failures_path,
      "append failures that end a rank to this file, as JSON lines: rank, host, exit status, text, and the lost rank");
  flags.repeatable(
      "--label", "KEY=VALUE", [this](const std::string& word) { return read_label(word); },
      "label for the rows, such as cluster=eu1; stored in their settings as label.KEY");
  flags.text("--run-id", options_.run_id, "ID of the run in the results; by default generated from the time", "NAME");
  flags.number("--repetition", options_.repetition, 0, 1'000'000'000, "repetition number in the results");
}

void RunFlags::declare_rest(Flags& flags) {
  flags.group(heading::transport);
  flags.named("--transport", options_.transport, all_transports(),
              fmt::format("the path to measure: {}", names_of_transports()));
  flags.number("--ranks", options_.ranks, 1, 1'000'000, "start this many ranks on this node, without mpirun");
  flags.text(
      "--rendezvous", options_.rendezvous,
      "meet the other ranks at this address on rank 0's host, without MPI; needs --rank, and --ranks for their number",
      "HOST:PORT");
  flags.number("--rank", options_.rank, 0, 1'000'000, "with --rendezvous: the number of this rank");
  flags.repeatable(
      "--set", "KEY=VALUE", [this](const std::string& word) { return settings_.push_back(word), ""; },
      "a transport option; --list-options lists all");
  flags.group(heading::other);
  flags.toggle("--list", options_.list, "list which transports can be used here, and why others cannot");
  flags.toggle("--list-options", options_.list_options, "list the transport options");
  flags.toggle("--list-parameters", options_.list_parameters, "list NCCL's variables with their values and pitfalls");
  declare_nccl_tests_flags(flags);
  flags.hints("mpirun", {{"-np", "did you mean --ranks?"}});
}

std::string RunFlags::read_label(const std::string& word) {
  const auto equals = word.find('=');
  const auto key = word.substr(0, equals);
  if (equals == std::string::npos || key.empty()) return "give KEY=VALUE";
  const auto is_odd = [](char c) { return std::string_view(", =\"'\t\n").find(c) != std::string_view::npos; };
  if (std::any_of(key.begin(), key.end(), is_odd)) return fmt::format("'{}' is not a column name", key);
  if (!options_.settings.emplace(label_prefix + key, word.substr(equals + 1)).second)
    return fmt::format("label '{}' is given twice", key);
  return "";
}

void RunFlags::check(Flags& flags) {
  constexpr int most_local_ranks = 4096;
  if (options_.rank && options_.rendezvous.empty())
    flags.problem("--rank", "only goes with --rendezvous", "give --rendezvous HOST:PORT as well");
  if (!options_.rendezvous.empty() && !options_.rank)
    flags.problem("--rendezvous", "needs this rank's number", "give --rank");
  if (!options_.rendezvous.empty() && !options_.ranks)
    flags.problem("--rendezvous", "needs the total number of ranks", "give --ranks");
  if (options_.rendezvous.empty() && options_.ranks.value_or(0) > most_local_ranks)
    flags.problem("--ranks", fmt::format("is more than the {} allowed on one node", most_local_ranks));
  for (const auto& setting : settings_) check_setting(flags, setting);
}

void RunFlags::check_setting(Flags& flags, const std::string& setting) {
  const auto refuse = [&](std::string text, std::string remedy = "") {
    flags.add_problem({"--set", setting, std::move(text), std::move(remedy)});
  };
  const auto equals = setting.find('=');
  const auto key = setting.substr(0, equals);
  if (equals == std::string::npos) return refuse("give KEY=VALUE");
  if (!TransportOptions::has(key)) return refuse(fmt::format("unknown option '{}'", key), "--list-options lists all");
  const auto value = setting.substr(equals + 1);
  if (!options_.settings.emplace(key, value).second) return refuse(fmt::format("'{}' is set twice", key));
  const auto transport = options_.transport;
  const bool knows_transport = name(transport) == flags.given("--transport") || !flags.is_given("--transport");
  if (!knows_transport) return;
  try {
    if (!options_.transport_options.set(transport, key, value))
      refuse(fmt::format("has no effect with --transport {}", name(transport)));
  } catch (const BadUsage& error) {
    for (const auto& problem : error.problems()) flags.add_problem(problem);
  }
}

}  // namespace ringmark
