#include "bench/flags/run_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "results/provenance.hpp"

namespace ringmark {
namespace {

/// Ranks agree with each other over TCP, whatever is measured.
bool is_for_control(std::string_view key) {
  return key == "tcp.interface" || key == "tcp.family" || key == "tcp.silence";
}

/// Flags that users of nccl-tests type, each with its counterpart here.
std::map<std::string, std::string> flags_of_nccl_tests() {
  const std::string ranks = "a rank has one GPU here: start as many ranks, by mpirun or --ranks";
  const std::string graph = "give --set nccl.graph=1";
  return {{"-g", ranks},
          {"--ngpus", ranks},
          {"-t", ranks},
          {"--nthreads", ranks},
          {"-G", graph},
          {"--cudagraph", graph},
          {"-R", "give --set nccl.buffer=registered, or window"},
          {"--minbytes", "give --min-bytes"},
          {"--maxbytes", "give --max-bytes"},
          {"--stepbytes", "give --step-bytes"},
          {"--stepfactor", "give --step-factor"},
          {"--warmup_iters", "give --warmup"},
          {"-J", "give --csv or --samples"}};
}

}  // namespace

std::string version_line() { return "ringmark " + version(); }

void refuse_algorithm(Flags& flags, Transport transport, const std::string& algorithm) {
  if (algorithm == "auto" || has_own_schedules(transport)) return;
  flags.problem("--algorithm",
                fmt::format("with --transport {} {} chooses{}", name(transport),
                            transport == Transport::mpi ? "the MPI library" : "NCCL",
                            transport == Transport::mpi ? "" : ", by NCCL_ALGO if it is set"),
                "leave it at auto");
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
  flags.text("--run-id", options_.run_id, "name of the run in the results; by default made from the time", "NAME");
  flags.number("--repetition", options_.repetition, 0, 1'000'000'000, "number of the repetition in the results");
}

void RunFlags::declare_rest(Flags& flags) {
  flags.group(heading::transport);
  flags.named("--transport", options_.transport, all_transports(), "the path to measure: tcp, verbs, nccl or mpi");
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
  flags.hints("nccl-tests", flags_of_nccl_tests());
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
  if (!tcp_option_table().has(key) && !verbs_option_table().has(key) && !nccl_option_table().has(key))
    return refuse(fmt::format("there is no option '{}'", key), "--list-options shows all");
  const auto value = setting.substr(equals + 1);
  if (!options_.settings.emplace(key, value).second) return refuse(fmt::format("'{}' is set twice", key));
  const auto transport = options_.transport;
  const bool knows_transport = name(transport) == flags.given("--transport") || !flags.is_given("--transport");
  if (!knows_transport) return;
  try {
    if (transport == Transport::tcp ? tcp_option_table().has(key) : is_for_control(key)) {
      tcp_option_table().apply(options_.tcp, key, value);
    } else if (transport == Transport::verbs && verbs_option_table().has(key)) {
      verbs_option_table().apply(options_.verbs, key, value);
    } else if (transport == Transport::nccl && nccl_option_table().has(key)) {
      nccl_option_table().apply(options_.nccl, key, value);
    } else {
      refuse(fmt::format("has no effect with --transport {}", name(transport)));
    }
  } catch (const BadUsage& error) {
    for (const auto& problem : error.problems()) flags.add_problem(problem);
  }
}

namespace {

template <class Options>
std::string listing_of(const OptionTable<Options>& table) {
  std::string text;
  for (const auto& row : table.rows()) {
    const auto default_text = row.show(Options());
    text += fmt::format("{}\n    {}\n    {}{}{}; default {}\n", row.key, row.meaning, row.allowed,
                        row.unit.empty() ? "" : ", ", row.unit, default_text.empty() ? "as described" : default_text);
  }
  return text;
}

}  // namespace

std::string option_listing() {
  return listing_of(tcp_option_table()) + listing_of(verbs_option_table()) + listing_of(nccl_option_table());
}

}  // namespace ringmark
