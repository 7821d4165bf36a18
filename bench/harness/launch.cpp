#include "bench/harness/launch.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/error_text.hpp"
#include "base/errors.hpp"
#include "base/run_program.hpp"
#include "base/system/host.hpp"
#include "transports/bootstrap/local_bootstrap.hpp"
#include "transports/exchange.hpp"
#include "transports/mpi/mpi_bootstrap.hpp"

namespace ringmark {
namespace {

/// Exceptions to exit statuses. Usage errors are found by all ranks together, failures by each on its own.
int guarded(Bootstrap& bootstrap, const std::function<int()>& body) {
  const auto say_once = [&](const std::exception& error) {
    if (bootstrap.rank() == 0) fmt::print(stderr, "ringmark: {}\n", error.what());
  };
  try {
    return body();
  } catch (const BadUsage& error) {
    say_once(error);
    return exit_usage;
  } catch (const Unusable& error) {
    say_once(error);
    return exit_unusable;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringmark: rank {} on {}: {}\n", bootstrap.rank(), host_name(), text_of(error));
    return exit_failed;
  }
}

/// All ranks leave with the largest status that one has.
int agree(Bootstrap& bootstrap, int status) {
  if (status == exit_failed) return status;  // the others find out by themselves, or have already
  const auto all = exchange(bootstrap, "exit status", status);
  return *std::max_element(all.begin(), all.end());
}

int run_rank(Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library, const RankBody& body) {
  int status = guarded(bootstrap, [&] {
    const int measured = body(bootstrap, library);
    flush_output();
    return measured;
  });
  status = guarded(bootstrap, [&] { return agree(bootstrap, status); });
  std::fflush(nullptr);
  return guarded(bootstrap, [&] {
    bootstrap.finish(status);
    return status;
  });
}

}  // namespace

int launch(std::optional<int> ranks, std::chrono::milliseconds timeout, const RankBody& body) {
  // The reader of our output may stop: then writing fails with a message, instead of ending the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto mpi = detect_mpi();
    if (mpi.empty()) {
      if (!ranks) {
        complain("no launcher started this process: use mpirun -n N …, or --ranks N for N ranks on this node");
        return exit_usage;
      }
      return run_local_ranks(*ranks, timeout, [&](Bootstrap& bootstrap) { return run_rank(bootstrap, nullptr, body); });
    }
    const auto library = MpiLibrary::open(mpi, timeout);
    MpiBootstrap bootstrap(library, timeout);
    return run_rank(bootstrap, library, body);
  } catch (const Unusable& error) {
    complain(error.what());
    return exit_unusable;
  } catch (const BadUsage& error) {
    complain(error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    complain(text_of(error));
    return exit_failed;
  }
}

bool launcher_is_absent() {
  try {
    return detect_mpi().empty();
  } catch (const BadUsage&) {
    return true;
  }
}

void complain(const std::string& text) {
  if (launched_rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  fmt::print(stderr, "ringmark: {}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace ringmark
