#include "accept/soak/soak.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/judge/link_downs.hpp"
#include "accept/measurements.hpp"
#include "base/system/deadline.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::accept {
namespace {

using Seconds = std::chrono::duration<double>;

class Soaking {
 public:
  Soaking(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options)
      : criteria_(criteria),
        cluster_(cluster),
        log_(std::move(log)),
        options_(options),
        measurement_(soak_measurement(criteria, options.length)),
        downs_(criteria) {
    const auto loss = std::find_if(log_.events.rbegin(), log_.events.rend(),
                                   [](const SoakEvent& event) { return event.kind == SoakEventKind::loss; });
    if (loss == log_.events.rend() || loss->stood_still_s) return;
    is_down_ = true;
    loss_ = static_cast<std::size_t>(log_.events.rend() - loss) - 1;
  }

  SoakLog run(const std::function<void(const SoakLog&)>& keep) {
    cluster_.measure_on(all_hosts(criteria_));
    downs_.seen(cluster_.visit(VisitDepth::facts));
    while (log_.seconds < Seconds(options_.length).count()) {
      const auto events = log_.events_seen;
      measure();
      if (log_.events_seen != events || ++since_visit_ == rounds_between_visits) look_for_flaps();
      keep(log_);
    }
    look_for_flaps();
    keep(log_);
    return std::move(log_);
  }

 private:
  static constexpr int rounds_between_visits = 10;

  void measure() {
    constexpr auto name = "soak";
    cluster_.forget(name);
    SoakRound round{now_utc()};
    const auto begun = Clock::now();
    const auto launch = cluster_.launch(name, measurement_);
    time_utc_ = round.time_utc;
    if (!launch.failure.empty()) {
      // A cluster that stays down is retried once per stretch.
      cluster_.pause(std::chrono::ceil<std::chrono::milliseconds>(
          Deadline::at(begun + stretch_of(options_.length)).left(stretch_of(options_.length))));
      round.seconds = Seconds(Clock::now() - begun).count();
      lost(launch, round.seconds);
    } else {
      round.seconds = Seconds(Clock::now() - begun).count();
      look_at(launch, round);
      recovered(round.seconds - round.measured_s);
    }
    log_.add(std::move(round));
  }

  void lost(const sweep::LaunchRows& launch, double seconds) {
    if (is_down_) {
      log_.down_s += seconds;
      return;
    }
    is_down_ = true;
    log_.down_s = seconds;
    SoakEvent event{SoakEventKind::loss, time_utc_};
    if (launch.lost_rank) {
      event.parts = {{launch.lost_rank->host}};
      event.words = in_words(*launch.lost_rank);
    } else {
      event.words = launch.account;
    }
    loss_ = log_.events.size();
    log_.add(std::move(event));
  }

  /// Collectives recovered while the launch that succeeded was starting.
  void recovered(double starting_s) {
    if (!is_down_) return;
    if (loss_ < log_.events.size()) log_.events[loss_].stood_still_s = log_.down_s + std::max(0.0, starting_s);
    is_down_ = false;
    log_.down_s = 0;
  }

  void look_at(const sweep::LaunchRows& launch, SoakRound& round) {
    for (const auto& row : launch.rows) {
      if (is_not_as_asked(row.status)) log_.add(SoakEvent{SoakEventKind::wrong, time_utc_, {}, {}, row.detail});
    }
    if (launch.rows.empty()) return;
    const auto& row = launch.rows.front();
    round.busbw_GBps = row.busbw_GBps;
    round.time_us = row.time_us_p50;
    round.longest_us = row.time_us_max;
    constexpr double us_per_s = 1e6;
    round.measured_s = static_cast<double>(row.samples) * row.time_us_mean.value_or(0) / us_per_s;
    const double longest_s = row.time_us_max.value_or(0) / us_per_s, usual_s = row.time_us_p50.value_or(0) / us_per_s;
    if (longest_s - usual_s < options_.least_stall_s) return;
    log_.add(SoakEvent{SoakEventKind::stall,
                       time_utc_,
                       longest_s - usual_s,
                       {},
                       fmt::format("an all_reduce took {:.3g} s instead of the usual {:.3g} s", longest_s, usual_s)});
  }

  void look_for_flaps() {
    since_visit_ = 0;
    SoakEvent event{SoakEventKind::flap, time_utc_.empty() ? now_utc() : time_utc_};
    std::vector<std::string> words;
    for (const auto& down : downs_.seen(cluster_.visit(VisitDepth::facts))) {
      event.parts.push_back({down.host, down.device});
      words.push_back(in_words(down));
    }
    if (event.parts.empty()) return;
    event.words = fmt::format("{}", fmt::join(words, ", "));
    log_.add(std::move(event));
  }

  const Criteria& criteria_;
  Cluster& cluster_;
  SoakLog log_;
  const SoakOptions& options_;
  Measurement measurement_;
  LinkDowns downs_;
  int since_visit_ = 0;
  std::string time_utc_;  ///< of the last round
  bool is_down_ = false;
  std::size_t loss_ = 0;  ///< index of its event
};

}  // namespace

SoakLog soak(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options,
             const std::function<void(const SoakLog&)>& keep) {
  return Soaking(criteria, cluster, std::move(log), options).run(keep);
}

}  // namespace ringmark::accept
