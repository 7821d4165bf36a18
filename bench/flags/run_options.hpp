// The flags shared by all measuring programs.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags/flags.hpp"
#include "base/transport.hpp"
#include "bench/flags/transport_options.hpp"

namespace ringmark {

/// How long to measure a row.
struct MeasuringTime {
  std::optional<int> iterations;  ///< exactly this many samples, ignoring precision and time
  int warmup = 5;                 ///< untimed iterations before
  double precision_percent = 2;   ///< stop once the median's 95 % interval is within ± this
  std::chrono::duration<double> max_time{5};
  int most_samples = 20'000;                  ///< cap on samples kept in memory; not a flag
  std::chrono::milliseconds timeout{60'000};  ///< longest wait for a peer
};

struct RunOptions : MeasuringTime {
  Transport transport = Transport::tcp;
  std::optional<int> ranks;
  std::string rendezvous;                       ///< HOST:PORT where ranks meet without MPI; empty to use the launcher
  std::optional<int> rank;                      ///< of this process, with `rendezvous`
  std::map<std::string, std::string> settings;  ///< as given with --set, and labels
  TransportOptions transport_options;
  std::string csv_path, json_path, failures_path;
  std::string algorithms_path;  ///< of --algorithm auto:FILE
  std::string run_id;
  int repetition = 0;
  bool goes_on_without_lost_ranks = false;  ///< a lost rank does not end the run; not a flag
  bool list = false, list_options = false, list_parameters = false;

  /// Where operations' buffers will be.
  MemoryKind memory_kind() const { return transport_options.memory_kind(transport); }
  /// The options of one transport, for example of<TcpOptions>().
  template <class Options>
  const Options& of() const {
    return transport_options.of<Options>();
  }
};

/// The headings of --help, in order.
namespace heading {
inline constexpr auto measured = "What to measure", duration = "How long", output = "Where results go",
                      transport = "Transport", other = "Other";
}

/// The prefix of a label's key in a row's settings.
inline const std::string label_prefix = "label.";

/// The output of --version.
std::string version_line();

/// The flags of RunOptions; a program declares its own in between.
class RunFlags {
 public:
  explicit RunFlags(RunOptions& options) : options_(options) {}

  void declare_duration(Flags& flags);
  void declare_output(Flags& flags);
  /// Declares the flags for the transport, and queries such as --list that are answered without a run.
  void declare_rest(Flags& flags);
  /// Checks that the flags fit the transport; for Flags::read.
  void check(Flags& flags);

 private:
  std::string read_label(const std::string& word);
  void check_setting(Flags& flags, const std::string& setting);

  RunOptions& options_;
  std::vector<std::string> settings_;
};

/// Declares --algorithm: auto, auto:FILE, or one of `names`.
void declare_algorithm(Flags& flags, std::string& algorithm, RunOptions& options,
                       std::span<const std::string_view> names);
/// Adds a problem if an algorithm other than "auto" is given although a library chooses it.
void refuse_algorithm(Flags& flags, const RunOptions& options, const std::string& algorithm);

}  // namespace ringmark
