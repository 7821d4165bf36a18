#include "bench/harness/launch.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/run_program.hpp"
#include "base/text/printable.hpp"
#include "results/files/failure.hpp"
#include "transports/bootstrap/launcher_variables.hpp"
#include "transports/bootstrap/local_bootstrap.hpp"
#include "transports/bootstrap/rendezvous_bootstrap.hpp"
#include "transports/exchange.hpp"
#include "transports/mpi/mpi_bootstrap.hpp"

namespace ringmark {
namespace {

/// Maps exceptions to exit statuses. Usage errors are found by all ranks together, failures by each rank on its own.
int guarded(Bootstrap& bootstrap, const RunOptions& options, const std::function<int()>& body) {
  const auto say_once = [&](const std::exception& error, int status) {
    if (bootstrap.rank() != 0) return status;
    const auto failure = failure_of(error, bootstrap.rank(), status);
    fmt::print(stderr, "ringmark: {}\n", failure.text);
    append_failure(options.failures_path, failure);
    return status;
  };
  try {
    return body();
  } catch (const BadUsage& error) {
    return say_once(error, exit_usage);
  } catch (const Unusable& error) {
    return say_once(error, exit_unusable);
  } catch (const std::exception& error) {
    const auto failure = failure_of(error, bootstrap.rank(), exit_failed);
    fmt::print(stderr, "ringmark: {}\n", in_words(failure));
    append_failure(options.failures_path, failure);
    return exit_failed;
  }
}

/// All ranks exit with the largest status that any of them has.
int agree(Bootstrap& bootstrap, int status) {
  if (status == exit_failed) return status;  // the others notice on their own
  const auto all = exchange(bootstrap, "exit status", status);
  return *std::max_element(all.begin(), all.end());
}

int run_rank(Bootstrap& bootstrap, const RunOptions& options, const std::shared_ptr<MpiLibrary>& library,
             const RankBody& body) {
  int status = guarded(bootstrap, options, [&] {
    const int measured = body(bootstrap, library);
    flush_output();
    return measured;
  });
  status = guarded(bootstrap, options, [&] { return agree(bootstrap, status); });
  std::fflush(nullptr);
  return guarded(bootstrap, options, [&] {
    bootstrap.finish(status);
    return status;
  });
}

/// Where the ranks meet without MPI; empty if MPI started them, or if this process starts them itself.
std::optional<Rendezvous> find_rendezvous(const RunOptions& options, std::string_view mpi) {
  if (!options.rendezvous.empty()) return rendezvous_at(options.rendezvous, options.rank, options.ranks);
  if (!mpi.empty()) return std::nullopt;
  auto place = rendezvous_from_environment(options.ranks);
  // If a launcher started a single process, --ranks may start more.
  if (place && place->ranks == 1 && options.ranks.value_or(1) > 1) return std::nullopt;
  return place;
}

}  // namespace

int launch(const RunOptions& options, const RankBody& body) {
  const auto refuse = [&](const std::exception& error, int status) {
    const auto failure = failure_of(error, launched_rank(), status);
    append_failure(options.failures_path, failure);
    complain(failure.text);
    return status;
  };
  // If the reader of our output stops, writing fails with a message instead of ending the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto mpi = detect_mpi();
    if (auto place = find_rendezvous(options, mpi)) {
      RendezvousBootstrap bootstrap(*std::move(place), shared_secret(), options.timeout);
      return run_rank(bootstrap, options, nullptr, body);
    }
    if (mpi.empty()) {
      if (!options.ranks) {
        complain(
            "no launcher started this process: use mpirun -n N …, srun or torchrun; --ranks N for N ranks on this "
            "node; "
            "or --rendezvous HOST:PORT --rank R --ranks N");
        return exit_usage;
      }
      constexpr std::chrono::hours no_end{24 * 365};
      return run_local_ranks(
          *options.ranks, options.timeout,
          [&](Bootstrap& bootstrap) { return run_rank(bootstrap, options, nullptr, body); },
          [&](const PeerLost& lost) {
            append_failure(options.failures_path, failure_of(lost, lost.rank(), exit_failed));
          },
          options.goes_on_without_lost_ranks ? no_end : usual_grace);
    }
    const auto library = MpiLibrary::open(mpi, options.timeout);
    MpiBootstrap bootstrap(library, options.timeout);
    return run_rank(bootstrap, options, library, body);
  } catch (const Unusable& error) {
    return refuse(error, exit_unusable);
  } catch (const BadUsage& error) {
    return refuse(error, exit_usage);
  } catch (const std::exception& error) {
    return refuse(error, exit_failed);
  }
}

int own_rank(const RunOptions& options) { return options.rank.value_or(launched_rank()); }

bool launcher_is_absent() {
  try {
    return detect_mpi().empty() && !rendezvous_from_environment(std::nullopt);
  } catch (const BadUsage&) {
    return true;
  }
}

void complain(const std::string& text) {
  if (launched_rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  fmt::print(stderr, "ringmark: {}{}", as_message(text), text.ends_with('\n') ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace ringmark
