// The flags that all measuring programs have.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.hpp"
#include "base/option.hpp"
#include "base/transport.hpp"
#include "transports/fabric/tcp/options.hpp"
#include "transports/fabric/verbs/options.hpp"
#include "transports/nccl/options.hpp"

namespace ringmark {

/// How long one row is measured.
struct MeasuringTime {
  std::optional<int> iterations;  ///< exactly this many samples; precision and time then count no more
  int warmup = 5;                 ///< iterations before, untimed
  double precision_percent = 2;   ///< enough once the median's 95 % interval is within ± this
  std::chrono::duration<double> max_time{5};
  int most_samples = 20'000;                  ///< kept in memory; no flag
  std::chrono::milliseconds timeout{60'000};  ///< longest wait for a peer
};

struct RunOptions : MeasuringTime {
  Transport transport = Transport::tcp;
  std::optional<int> ranks;
  std::string rendezvous;                       ///< HOST:PORT where ranks meet without MPI; empty for the launcher's
  std::optional<int> rank;                      ///< of this process, with `rendezvous`
  std::map<std::string, std::string> settings;  ///< as given with --set
  TcpOptions tcp;
  VerbsOptions verbs;
  NcclOptions nccl;
  std::string csv_path;
  std::string run_id;
  int repetition = 0;
  bool list = false, list_options = false, list_parameters = false;

  /// Where buffers of operations will lie.
  MemoryKind memory_kind() const {
    return transport == Transport::nccl    ? MemoryKind::cuda
           : transport == Transport::verbs ? verbs.memory
                                           : MemoryKind::host;
  }
};

/// The headings of --help, in their order.
namespace heading {
inline constexpr auto measured = "What to measure", duration = "How long", output = "Where results go",
                      transport = "Transport", other = "Other";
}

/// The output of --version.
std::string version_line();

/// The flags of RunOptions; in between a program declares those of its own.
class RunFlags {
 public:
  explicit RunFlags(RunOptions& options) : options_(options) {}

  void declare_duration(Flags& flags);
  void declare_output(Flags& flags);
  /// Declares the flags of the transport, and the questions that are answered without a run.
  void declare_rest(Flags& flags);
  /// Checks that the flags go with the transport; for Flags::read.
  void check(Flags& flags);

 private:
  void check_setting(Flags& flags, const std::string& setting);

  RunOptions& options_;
  std::vector<std::string> settings_;
};

/// Only "auto" where a library chooses.
void refuse_algorithm(Flags& flags, Transport transport, const std::string& algorithm);

/// The output of --list-options.
std::string option_listing();

}  // namespace ringmark
