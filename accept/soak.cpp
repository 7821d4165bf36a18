#include "accept/soak.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/measurements.hpp"
#include "base/flags.hpp"
#include "base/system/deadline.hpp"
#include "base/with_count.hpp"
#include "results/provenance.hpp"

namespace ringmark::accept {
namespace {

using Seconds = std::chrono::duration<double>;

/// How often links of hosts have gone down since the hosts started, by host and device.
using LinkDowns = std::map<std::pair<std::string, std::string>, long>;

/// Interfaces of containers and the like come and go, so that only those count which the run may pass.
bool may_carry_run(const Criteria& criteria, const std::string& interface, const nlohmann::json& facts) {
  if (criteria.is_box) return true;
  const auto words = value_of(criteria.arguments, "tcp.interface");
  const bool is_subnet = words.find('/') != std::string::npos;
  if (words.empty() || is_subnet) return facts.contains("driver");
  const auto names = split_at_commas(words);
  return std::find(names.begin(), names.end(), interface) != names.end();
}

LinkDowns link_downs(const Criteria& criteria, const Visit& visit) {
  LinkDowns downs;
  for (const auto& [host, facts] : visit.facts) {
    for (const auto& [devices, counter] : {std::pair{"interfaces", "carrier_down_count"}, {"rdma", "link_downed"}}) {
      if (!facts.contains(devices)) continue;
      for (const auto& [device, values] : facts[devices].items()) {
        if (devices == std::string_view("interfaces") && !may_carry_run(criteria, device, values)) continue;
        if (values.contains(counter) && values[counter].is_string())
          downs[{criteria.fabric.hosts[host], device}] = std::atol(values[counter].get<std::string>().c_str());
      }
    }
  }
  return downs;
}

class Soaking {
 public:
  Soaking(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options)
      : criteria_(criteria),
        cluster_(cluster),
        log_(std::move(log)),
        options_(options),
        measurement_(soak_measurement(criteria, options.length)) {
    const auto loss = std::find_if(log_.events.rbegin(), log_.events.rend(),
                                   [](const SoakEvent& event) { return event.kind == SoakEventKind::loss; });
    if (loss == log_.events.rend() || loss->stood_still_s) return;
    is_down_ = true;
    loss_ = static_cast<std::size_t>(log_.events.rend() - loss) - 1;
  }

  SoakLog run(const std::function<void(const SoakLog&)>& keep) {
    cluster_.measure_on(all_hosts(criteria_));
    downs_ = link_downs(criteria_, cluster_.visit(VisitDepth::facts));
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
      // A cluster that stays down is tried again once a stretch.
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
      event.words = failure_in_words(launch);
    }
    loss_ = log_.events.size();
    log_.add(std::move(event));
  }

  /// The launch that passes has recovered while it was starting.
  void recovered(double starting_s) {
    if (!is_down_) return;
    if (loss_ < log_.events.size()) log_.events[loss_].stood_still_s = log_.down_s + std::max(0.0, starting_s);
    is_down_ = false;
    log_.down_s = 0;
  }

  void look_at(const sweep::LaunchRows& launch, SoakRound& round) {
    for (const auto& row : launch.rows) {
      if (is_not_as_asked(row.status)) log_.add(SoakEvent{SoakEventKind::wrong, time_utc_, {}, {}, row.detail.text()});
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
                       fmt::format("an all_reduce took {:.3g} s, the usual one {:.3g} s", longest_s, usual_s)});
  }

  void look_for_flaps() {
    since_visit_ = 0;
    auto downs = link_downs(criteria_, cluster_.visit(VisitDepth::facts));
    SoakEvent event{SoakEventKind::flap, time_utc_.empty() ? now_utc() : time_utc_};
    std::vector<std::string> words;
    for (const auto& [link, times] : downs) {
      const auto before = downs_.find(link);
      if (before == downs_.end() || times <= before->second) continue;
      event.parts.push_back({link.first, link.second});
      words.push_back(fmt::format("the link of {} went down {}", event.parts.back().name(),
                                  with_count(static_cast<std::size_t>(times - before->second), "time")));
    }
    // A host that does not answer now keeps its counts, which are compared once it answers again.
    downs.insert(downs_.begin(), downs_.end());
    downs_ = std::move(downs);
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
  std::size_t loss_ = 0;  ///< the event of it
};

}  // namespace

SoakLog soak(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options,
             const std::function<void(const SoakLog&)>& keep) {
  return Soaking(criteria, cluster, std::move(log), options).run(keep);
}

}  // namespace ringmark::accept
