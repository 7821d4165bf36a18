// The log of a soak: its rounds and events. Both are bounded, however long it takes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::accept {

/// A stretch of collectives over all hosts.
struct SoakRound {
  std::string time_utc;                                       ///< when it began
  double seconds = 0;                                         ///< that it took, with its launch
  double measured_s = 0;                                      ///< of them, those of the operations themselves
  std::optional<double> busbw_GBps, time_us{}, longest_us{};  ///< of the median and the longest operation
};

enum class SoakEventKind {
  stall,  ///< an operation stood still
  loss,   ///< a launch failed
  flap,   ///< links went down, by the counters of hosts
  wrong,  ///< wrong results, or bytes beside the network
};
std::string_view name(SoakEventKind kind);

struct SoakPart {
  std::string host, device{};  ///< of the host; empty for all of it

  std::string name() const { return device.empty() ? host : host + " " + device; }
};

struct SoakEvent {
  SoakEventKind kind = SoakEventKind::stall;
  std::string time_utc;                   ///< when the round began in which it was seen
  std::optional<double> stood_still_s{};  ///< how long collectives stood still; none while they have not recovered
  std::vector<SoakPart> parts{};          ///< links that went down, or hosts that were lost
  std::string words{};
};

struct SoakLog {
  double seconds = 0;     ///< in all
  double measured_s = 0;  ///< of them, those of the operations themselves
  double down_s = 0;      ///< since the last loss, while collectives have not recovered
  std::size_t rounds_measured = 0, events_seen = 0;
  std::vector<SoakRound> rounds{};  ///< one of so many, if there are too many
  std::vector<SoakEvent> events{};  ///< the first ones

  static constexpr std::size_t most_rounds = 1000, most_events = 500;

  /// Keeps one of two rounds, of four, of eight and so on, so that those that are kept lie equally far apart.
  void add(SoakRound round);
  void add(SoakEvent event);
};

/// Schema soak/1. Text that is none throws std::invalid_argument.
std::string as_json(const SoakLog& log);
SoakLog read_soak_log(const std::string& json);

/// "2026-11-25T20:01:02Z  stall  host-2 e0: …".
std::string in_words(const SoakEvent& event);

}  // namespace ringmark::accept
