#include "bench/flags/run_options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/flags/nccl_tests_flags.hpp"
#include "results/provenance.hpp"

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
      fmt::format("the schedule: auto (those that may be the fastest are timed for each size), auto:FILE (a choice in "
                  "the file is used again, a new one is added to it), or one of {}",
                  fmt::join(names, ", ")));
}

void refuse_algorithm(Flags& flags, const RunOptions& options, const std::string& algorithm) {
  if (has_own_schedules(options.transport) || (algorithm == "auto" && options.algorithms_path.empty())) return;
  const auto& facts = facts_of(options.transport);
  flags.problem("--algorithm", fmt::format("with --transport {} {} chooses", facts.name, facts.library),
                facts.algorithm_variable.empty()
                    ? "leave it at auto"
                    : fmt::format("leave it at auto, or set {}", facts.algorithm_variable));
}

void RunFlags::declare_duration(Flags& flags) {
  constexpr int most_iterations = 1'000'000;
  constexpr double day_s = 86400;
  flags.group(heading::duration);
  flags.number("-n,--iters", options_.iterations, 1, most_iterations, "measure exactly this many iterations");
  flags.number("-w,--warmup", options_.warmup, 0, most_iterations, "iterations before, on the measured size");
  flags.percent("--precision", options_.precision_percent, 0.01, 100,
                "stop when the median's 95 % interval is within this percentage");
  flags.seconds("--max-time", options_.max_time, 0.001, day_s, "stop after this time of measuring a row");
  flags.seconds("--timeout", options_.timeout, 0.1, day_s, "waiting longer than this for a peer is an error");
}

void RunFlags::declare_output(Flags& flags) {
  flags.group(heading::output);
  flags.file("--csv", options_.csv_path, "append a row per result to this file");
  flags.file("--json", options_.json_path, "add the rows to this file as well, an array of JSON objects");
  flags.file(
      "--failures", options_.failures_path,
      "append what ends a rank to this file, as JSON lines: rank, host, exit status, text, the rank that is lost");
  flags.repeatable(
      "--label", "KEY=VALUE", [this](const std::string& word) { return read_label(word); },
      "where the rows come from, such as cluster=eu1: in their settings as label.KEY");
  flags.text("--run-id", options_.run_id, "name of the run in the results; by default made from the time", "NAME");
  flags.number("--repetition", options_.repetition, 0, 1'000'000'000, "number of the repetition in the results");
}

void RunFlags::declare_rest(Flags& flags) {
  flags.group(heading::transport);
  flags.named("--transport", options_.transport, all_transports(),
              fmt::format("the path to measure: {}", names_of_transports()));
  flags.number("--ranks", options_.ranks, 1, 1'000'000, "start this many ranks on this node, without mpirun");
  flags.text("--rendezvous", options_.rendezvous,
             "meet the other ranks at rank 0's host, without MPI; with --rank, and --ranks for all of them",
             "HOST:PORT");
  flags.number("--rank", options_.rank, 0, 1'000'000, "with --rendezvous: the number of this rank");
  flags.repeatable(
      "--set", "KEY=VALUE", [this](const std::string& word) { return settings_.push_back(word), ""; },
      "a transport option; --list-options shows all");
  flags.group(heading::other);
  flags.toggle("--list", options_.list, "show which transports can be used here, and why not the others");
  flags.toggle("--list-options", options_.list_options, "show the transport options");
  flags.toggle("--list-parameters", options_.list_parameters,
               "show the variables of NCCL, their values and their traps");
  declare_nccl_tests_flags(flags);
}

std::string RunFlags::read_label(const std::string& word) {
  const auto equals = word.find('=');
  const auto key = word.substr(0, equals);
  if (equals == std::string::npos || key.empty()) return "give KEY=VALUE";
  const auto is_odd = [](char c) { return std::string_view(", =\"'\t\n").find(c) != std::string_view::npos; };
  if (std::any_of(key.begin(), key.end(), is_odd)) return fmt::format("'{}' is no name for a column", key);
  if (!options_.settings.emplace(label_prefix + key, word.substr(equals + 1)).second)
    return fmt::format("label '{}' is given twice", key);
  return "";
}

void RunFlags::check(Flags& flags) {
  constexpr int most_local_ranks = 4096;
  if (options_.rank && options_.rendezvous.empty())
    flags.problem("--rank", "is for --rendezvous", "give --rendezvous HOST:PORT as well");
  if (!options_.rendezvous.empty() && !options_.rank)
    flags.problem("--rendezvous", "needs the number of this rank", "give --rank");
  if (!options_.rendezvous.empty() && !options_.ranks)
    flags.problem("--rendezvous", "needs the number of ranks of the whole run", "give --ranks");
  if (options_.rendezvous.empty() && options_.ranks.value_or(0) > most_local_ranks)
    flags.problem("--ranks", fmt::format("is more than {} on one node", most_local_ranks));
  for (const auto& setting : settings_) check_setting(flags, setting);
}

void RunFlags::check_setting(Flags& flags, const std::string& setting) {
  const auto refuse = [&](std::string text, std::string remedy = "") {
    flags.add_problem({"--set", setting, std::move(text), std::move(remedy)});
  };
  const auto equals = setting.find('=');
  const auto key = setting.substr(0, equals);
  if (equals == std::string::npos) return refuse("give KEY=VALUE");
  if (!TransportOptions::has(key))
    return refuse(fmt::format("there is no option '{}'", key), "--list-options shows all");
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
