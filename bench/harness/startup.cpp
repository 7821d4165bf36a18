#include "bench/harness/startup.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"
#include "base/units.hpp"
#include "bench/harness/launch.hpp"
#include "results/files/failure.hpp"
#include "results/files/file_sinks.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "transports/bootstrap/host_identity.hpp"
#include "transports/exchange.hpp"
#include "transports/nccl/parameters.hpp"
#include "transports/schedules/choice.hpp"

namespace ringmark {

namespace {

/// What a rank reports when the ranks first meet.
struct Arrival {
  std::vector<std::string> words;  ///< of its command line
  int status = exit_ok;            ///< that it would exit with
  std::string problem;             ///< why, if that is not exit_ok
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Arrival, words, status, problem)

/// The command-line words that must be the same on all ranks: all except --rank.
std::vector<std::string> shared_words(std::vector<std::string> words) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [](const auto& word) { return word == "--rank" || word.starts_with("--rank="); });
  if (found == words.end()) return words;
  const auto count = *found == "--rank" ? std::min<std::ptrdiff_t>(2, words.end() - found) : 1;
  words.erase(found, found + count);
  return words;
}

/// Runs before anything is connected. Throws BadUsage or Unusable on all ranks if one of them is refused or was given
/// different options from the others.
void meet(Bootstrap& bootstrap, const std::optional<Refusal>& refusal, int argc, const char* const* argv) {
  Arrival mine{shared_words({argv + 1, argv + argc}), exit_ok, {}};
  if (refusal) mine = {mine.words, refusal->status, refusal->text};
  const auto all = exchange(bootstrap, "command line", mine);
  const auto differs = [&](const Arrival& each) { return each.words != all.front().words; };
  const auto other = std::find_if(all.begin(), all.end(), differs);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].status == exit_ok) continue;
    const bool speaks_for_all = other == all.end() && rank == 0;
    const auto text = speaks_for_all ? all[rank].problem : fmt::format("rank {}: {}", rank, all[rank].problem);
    if (all[rank].status == exit_unusable) throw Unusable(text);
    throw BadUsage(text);
  }
  if (other != all.end())
    throw BadUsage(fmt::format("the ranks were started with different options:\n  rank 0: {}\n  rank {}: {}",
                               fmt::join(all.front().words, " "), other - all.begin(), fmt::join(other->words, " ")));
}

void check_backend(const RunOptions& options, std::string_view mpi) {
  try {
    make_backend(options.transport)->check(options, mpi);
  } catch (const Unusable& error) {
    throw Unusable(fmt::format("--transport {}: {}", name(options.transport), error.what()));
  }
}

}  // namespace

void check_backend(RunOptions options, Transport transport) {
  options.transport = transport;
  check_backend(options, detect_mpi());
}

CommandLineOutcome check_command_line(const RunOptions& options, std::optional<int> parse_status,
                                      const std::string& output, const std::string& problems,
                                      const std::function<std::optional<int>()>& own_checks) {
  if (parse_status && *parse_status != exit_ok) return {std::nullopt, Refusal{*parse_status, problems}};
  if (parse_status) return fmt::print("{}", output), CommandLineOutcome{exit_ok, std::nullopt};
  try {
    const auto mpi = detect_mpi();
    if (options.list)
      return fmt::print("{}", transport_listing(options, mpi)), CommandLineOutcome{exit_ok, std::nullopt};
    if (options.list_options) return fmt::print("{}", option_listing()), CommandLineOutcome{exit_ok, std::nullopt};
    if (options.list_parameters)
      return fmt::print("{}", parameter_listing()), CommandLineOutcome{exit_ok, std::nullopt};
    check_backend(options, mpi);
    return {own_checks(), std::nullopt};
  } catch (const Unusable& error) {
    return {std::nullopt, Refusal{exit_unusable, error.what()}};
  } catch (const BadUsage& error) {
    return {std::nullopt, Refusal{exit_usage, error.what()}};
  }
}

int run_ranks(const CommandLineOutcome& outcome, const RunOptions& options, int argc, const char* const* argv,
              const std::function<int(Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library)>& body) {
  if (outcome.exit_status) return *outcome.exit_status;
  if (outcome.refusal && launcher_is_absent()) {
    append_failure(options.failures_path, {0, host_name(), outcome.refusal->status, outcome.refusal->text});
    complain(outcome.refusal->text);
    return outcome.refusal->status;
  }
  auto believed = outcome.refusal ? RunOptions() : options;  // a refused rank's flags cannot be trusted
  believed.failures_path = options.failures_path;
  const auto ranks = believed.ranks;
  return launch(believed, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    auto refusal = outcome.refusal;
    if (!refusal && ranks && *ranks != bootstrap.size()) {
      refusal = {exit_usage, fmt::format("--ranks {}: {} started {} ranks, and the launcher decides; leave out --ranks",
                                         *ranks, bootstrap.launcher(), bootstrap.size())};
    }
    meet(bootstrap, refusal, argc, argv);
    return body(bootstrap, library);
  });
}

RunContext describe_world(RunContext context, const RunOptions& options, const RankResources& resources,
                          Bootstrap& bootstrap) {
  const auto& backend = *resources.backend;
  // For some libraries, only the counters of each row show the network.
  const auto network = backend.way_out().is_certain ? backend.way_out().network : std::nullopt;
  context.path = {options.transport, backend.memory().kind(), network};
  if (stays_on_one_lab_host(resources))
    context.path.doubt = fmt::format("{}; start a rank on each of its {} hosts, such as mpirun -n {}",
                                     in_words(OneLabHost{}), resources.lab->hosts.size(), resources.lab->hosts.size());
  context.facts["interface"] = resources.endpoint->interface();
  if (backend.memory().kind() != MemoryKind::host) context.facts["memory"] = backend.memory().describe();
  if (resources.core_share.is_tight())
    context.facts["cores"] = fmt::format("{} for {} ranks: ranks that busy-poll while waiting slow the others down",
                                         resources.core_share.cores, resources.core_share.ranks);
  backend.describe(context.facts, resources);
  context.facts["launcher"] = resources.mpi ? resources.mpi->api().library() : bootstrap.description();
  if (const auto shared = shared_names(resources.places.hosts); !shared.empty())
    context.facts["hosts"] =
        fmt::format("several hosts are named {}: they are numbered in rank order", fmt::join(shared, ", "));
  for (std::size_t rank = 0; rank < resources.places.hosts.size(); ++rank) {
    context.ranks.push_back({resources.places.hosts[rank], backend.place_of(static_cast<int>(rank), resources)});
  }
  return context;
}

namespace {

/// False for a device or pipe, which cannot lose contents.
bool are_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (fs::exists(a, unknown) && fs::exists(b, unknown))
    return fs::is_regular_file(a, unknown) && fs::equivalent(a, b, unknown);
  return fs::weakly_canonical(a, unknown) == fs::weakly_canonical(b, unknown);
}

/// Throws BadUsage before either file is opened, since opening one may replace the other.
void require_files_of_their_own(const std::vector<std::pair<std::string, std::string>>& flags_and_paths) {
  for (auto a = flags_and_paths.begin(); a != flags_and_paths.end(); ++a) {
    for (auto b = std::next(a); b != flags_and_paths.end(); ++b) {
      if (!a->second.empty() && !b->second.empty() && are_one_file(a->second, b->second))
        throw BadUsage(fmt::format("{} and {} are both {}: give each its own file", a->first, b->first, a->second));
    }
  }
}

}  // namespace

std::unique_ptr<TeeSink> open_files(const RunOptions& options, const std::string& samples_path, Schema schema) {
  const auto& csv_path = options.csv_path;
  try {
    require_files_of_their_own({{"--csv", csv_path},
                                {"--samples", samples_path},
                                {"--json", options.json_path},
                                {"--failures", options.failures_path}});
    std::vector<std::unique_ptr<Sink>> sinks;
    if (!csv_path.empty()) sinks.push_back(make_csv_sink(csv_path, schema));
    if (!samples_path.empty()) sinks.push_back(make_samples_sink(samples_path));
    if (!options.json_path.empty()) sinks.push_back(make_json_sink(options.json_path));
    return std::make_unique<TeeSink>(std::move(sinks));
  } catch (const std::exception& error) {
    throw BadUsage(error.what());
  }
}

}  // namespace ringmark
