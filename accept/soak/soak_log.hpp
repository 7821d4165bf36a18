// The log of a soak: its rounds and events. Both are bounded, however long the soak takes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::accept {

/// A stretch of collectives over all hosts.
struct SoakRound {
  std::string time_utc;                                       ///< when it started
  double seconds = 0;                                         ///< including its launch
  double measured_s = 0;                                      ///< the part of them spent in the operations themselves
  std::optional<double> busbw_GBps, time_us{}, longest_us{};  ///< median bandwidth and time, and the longest operation
};

enum class SoakEventKind {
  stall,  ///< an operation stalled
  loss,   ///< a launch failed
  flap,   ///< links went down, by the hosts' counters
  wrong,  ///< wrong results, or bytes that bypassed the network
};
std::string_view name(SoakEventKind kind);

struct SoakPart {
  std::string host, device{};  ///< the device is on the host; empty for the whole host

  std::string name() const { return device.empty() ? host : host + " " + device; }
};

struct SoakEvent {
  SoakEventKind kind = SoakEventKind::stall;
  std::string time_utc;                   ///< start of the round in which it was seen
  std::optional<double> stood_still_s{};  ///< how long collectives stalled; empty until they recover
  std::vector<SoakPart> parts{};          ///< links that went down, or hosts that were lost
  std::string words{};
};

struct SoakLog {
  double seconds = 0;     ///< in total
  double measured_s = 0;  ///< the part of them spent in the operations themselves
  double down_s = 0;      ///< since the last loss, until collectives recover
  std::size_t rounds_measured = 0, events_seen = 0;
  std::vector<SoakRound> rounds{};  ///< one in N, if there are too many
  std::vector<SoakEvent> events{};  ///< only the first ones

  static constexpr std::size_t most_rounds = 1000, most_events = 500;

  /// Keeps one in two rounds, then four, eight and so on, so that the remaining ones are evenly spaced.
  void add(SoakRound round);
  void add(SoakEvent event);
};

/// Schema soak/1. Throws std::invalid_argument on other text.
std::string as_json(const SoakLog& log);
SoakLog read_soak_log(const std::string& json);

/// "2026-11-25T20:01:02Z  stall  host-2 e0: …".
std::string in_words(const SoakEvent& event);

}  // namespace ringmark::accept
