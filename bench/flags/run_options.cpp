#include "bench/flags/run_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/command_line.hpp"
#include "base/errors.hpp"
#include "base/units.hpp"
#include "results/provenance.hpp"

namespace ringmark {
namespace {

/// Ranks agree with each other over TCP, whatever is measured.
bool is_for_control(std::string_view key) {
  return key == "tcp.interface" || key == "tcp.family" || key == "tcp.silence";
}

}  // namespace

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (text.empty() || text.back() == ',') parts.emplace_back();
  return parts;
}

void FlagReader::size(std::string_view flag, const std::string& text, std::size_t& to) {
  if (const auto value = parse_size(text)) {
    to = *value;
  } else {
    problem("{} {}: give a size in bytes like 8, 64K, 64KiB or 1G (K, M, G are powers of 1024)", flag, text);
  }
}

void FlagReader::sizes(std::string_view flag, const std::string& text, std::vector<std::size_t>& to) {
  const auto known = problems_.size();
  for (const auto& word : split_at_commas(text)) size(flag, word, to.emplace_back());
  if (problems_.size() == known) refuse_repeated(flag, text, to, format_size);
}

void refuse_algorithm(FlagReader& read, Transport transport, const std::string& algorithm) {
  if (algorithm == "auto" || has_own_schedules(transport)) return;
  read.problem("--algorithm {}: with --transport {} {} chooses{}; leave it at auto", algorithm, name(transport),
               transport == Transport::mpi ? "the MPI library" : "NCCL",
               transport == Transport::mpi ? "" : ", by NCCL_ALGO if it is set");
}

void RunFlags::declare(CLI::App& app, RunOptions& options) {
  app.set_version_flag("--version", "ringmark " + version());
  app.add_option("--transport", transport_, "tcp, verbs, nccl or mpi: the path to measure")->capture_default_str();
  app.add_option("-n,--iters", iterations_, "measure exactly this many iterations");
  app.add_option("-w,--warmup", warmup_, "iterations before, on the measured size")->capture_default_str();
  app.add_option("--precision", precision_, "stop when the median's 95 % interval is within this percentage")
      ->capture_default_str();
  app.add_option("--max-time", max_time_, "or after this many seconds of measuring a row")->capture_default_str();
  app.add_option("--ranks", ranks_, "start this many ranks on this node, without mpirun");
  app.add_option("--timeout", timeout_, "seconds after which waiting for a peer is an error")->capture_default_str();
  app.add_option("--set", settings_, "KEY=VALUE: a transport option, see --list-options")->allow_extra_args(false);
  app.add_option("--csv", options.csv_path, "append a row per result to this file");
  app.add_option("--run-id", options.run_id, "name of the run in the results (default: made from the time)");
  app.add_option("--repetition", repetition_, "number of the repetition in the results")->capture_default_str();
  app.add_flag("--list", options.list, "show which transports can be used here, and why not the others");
  app.add_flag("--list-options", options.list_options, "show the transport options");
  app.add_flag("--list-parameters", options.list_parameters, "show NCCL's variables, their values and their traps");
}

bool RunFlags::interpret(FlagReader& read, RunOptions& options) const {
  const bool knows_transport =
      read.named("--transport", transport_, all_transports(), parse_transport, options.transport);
  if (!iterations_.empty()) read.number("--iters", iterations_, 1, 1'000'000, options.iterations.emplace());
  read.number("--warmup", warmup_, 0, 1'000'000, options.warmup);
  read.number("--precision", precision_, 0.01, 100.0, options.precision_percent);
  double seconds = 0;
  read.number("--max-time", max_time_, 0.001, 86400.0, seconds);
  options.max_time = std::chrono::duration<double>(seconds);
  read.number("--timeout", timeout_, 0.1, 86400.0, seconds);
  options.timeout = std::chrono::milliseconds(std::lround(seconds * 1000));
  if (!ranks_.empty()) read.number("--ranks", ranks_, 1, 4096, options.ranks.emplace());
  read.number("--repetition", repetition_, 0, 1'000'000'000, options.repetition);
  interpret_settings(read, options, knows_transport);
  return knows_transport;
}

void RunFlags::interpret_settings(FlagReader& read, RunOptions& options, bool knows_transport) const {
  for (const auto& setting : settings_) {
    const auto equals = setting.find('=');
    const auto key = setting.substr(0, equals);
    if (equals == std::string::npos) {
      read.problem("--set {}: give KEY=VALUE", setting);
    } else if (!tcp_option_table().has(key) && !verbs_option_table().has(key) && !nccl_option_table().has(key)) {
      read.problem("--set {}: there is no option '{}'; --list-options shows all", setting, key);
    } else if (!options.settings.emplace(key, setting.substr(equals + 1)).second) {
      read.problem("--set {}: '{}' is set twice", setting, key);
    } else if (knows_transport) {
      try {
        const auto value = setting.substr(equals + 1);
        if (options.transport == Transport::tcp ? tcp_option_table().has(key) : is_for_control(key)) {
          tcp_option_table().apply(options.tcp, key, value);
        } else if (options.transport == Transport::verbs && verbs_option_table().has(key)) {
          verbs_option_table().apply(options.verbs, key, value);
        } else if (options.transport == Transport::nccl && nccl_option_table().has(key)) {
          nccl_option_table().apply(options.nccl, key, value);
        } else {
          read.problem("--set {}: has no effect with --transport {}", setting, name(options.transport));
        }
      } catch (const BadUsage& error) {
        read.problem("{}", error.what());
      }
    }
  }
}

namespace {

/// What people who come from nccl-tests type, and there is not.
std::string hint_for(std::string_view word) {
  constexpr std::string_view ranks = "a rank has one GPU here; start as many ranks, by mpirun or --ranks";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> hints{{
      {"-g", ranks},
      {"--ngpus", ranks},
      {"-t", ranks},
      {"--nthreads", ranks},
      {"-G", "a CUDA graph is --set nccl.graph=1 here"},
      {"--cudagraph", "a CUDA graph is --set nccl.graph=1 here"},
      {"-R", "registered buffers are --set nccl.buffer=registered or window here"},
      {"--minbytes", "--min-bytes here"},
      {"--maxbytes", "--max-bytes here"},
      {"--stepbytes", "--step-bytes here"},
      {"--stepfactor", "--step-factor here"},
      {"--warmup_iters", "--warmup here"},
      {"-J", "--csv or --samples here"},
  }};
  const auto name = word.substr(0, word.find('='));
  const auto found = std::find_if(hints.begin(), hints.end(), [&](const auto& each) { return each.first == name; });
  return found == hints.end() ? "" : fmt::format("{}: is nccl-tests'; {}\n", name, found->second);
}

}  // namespace

ParseOutcome run_parser(CLI::App& app, int argc, const char* const* argv) {
  app.failure_message(failure_words);
  try {
    app.parse(argc, argv);
    ParseOutcome outcome;
    for (const auto* option : app.get_options()) {
      const auto& values = option->results();
      if (std::find(values.begin(), values.end(), "") != values.end())
        outcome.empty_flags.push_back(option->get_name());
    }
    return outcome;
  } catch (const CLI::ParseError& error) {
    std::ostringstream output, problems;
    const int status = app.exit(error, output, problems) == 0 ? exit_ok : exit_usage;
    for (int i = 1; status != exit_ok && i < argc; ++i) problems << hint_for(argv[i]);
    return {status, output.str(), problems.str(), {}};
  }
}

namespace {

template <class Options>
std::string listing_of(const OptionTable<Options>& table) {
  std::string text;
  for (const auto& row : table.rows()) {
    text += fmt::format("{}\n    {}\n    {}{}{}; default {}\n", row.key, row.meaning, row.allowed,
                        row.unit.empty() ? "" : ", ", row.unit,
                        row.default_value.empty() ? "as described" : row.default_value);
  }
  return text;
}

}  // namespace

std::string option_listing() {
  return listing_of(tcp_option_table()) + listing_of(verbs_option_table()) + listing_of(nccl_option_table());
}

}  // namespace ringmark
