#include "accept/soak/soak_verdict.hpp"

#include <map>

#include <fmt/format.h>

#include "base/text/with_count.hpp"
#include "results/statistics/comparison.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

/// "0.4 % slower in the last third (p 0.3)", and whether it matters. Empty with too few rounds.
struct Trend {
  std::string words;
  bool is_slower = false;
  double ratio = 1;
};

std::optional<Trend> trend_of(const Criteria& criteria, const SoakLog& log) {
  std::vector<double> times_us;
  for (const auto& round : log.rounds) {
    if (round.time_us) times_us.push_back(*round.time_us);
  }
  constexpr std::size_t fewest = 12;
  if (times_us.size() < fewest) return std::nullopt;
  const auto third = static_cast<std::ptrdiff_t>(times_us.size() / 3);
  const auto difference =
      compare_launches({{{times_us.end() - third, times_us.end()}, {times_us.begin(), times_us.begin() + third}}})
          .front();
  return Trend{"last third compared with the first: " + in_words(difference),
               is_slower_than(difference, 100 * criteria.rates.loss), difference.ratio};
}

}  // namespace

StageResult judged(const Criteria& criteria, const SoakLog& log) {
  StageResult result{Stage::soak, log.rounds_measured == 0 ? Outcome::undecided : Outcome::pass};
  result.rounds = log.rounds_measured;
  struct Blamed {
    std::string host;
    const SoakEvent* first;
    std::size_t events = 0;
  };
  std::map<std::string, Blamed> blamed;
  for (const auto& event : log.events) {
    if (event.parts.empty()) ++blamed.try_emplace("all hosts together", Blamed{"", &event}).first->second.events;
    for (const auto& part : event.parts)
      ++blamed.try_emplace(part.name(), Blamed{part.host, &event}).first->second.events;
  }
  for (const auto& [part, what] : blamed) {
    Finding finding{part, {}, in_words(*what.first), "the kernel and switch logs at that time"};
    if (what.events > 1) finding.evidence += "; and " + with_count(what.events - 1, "more event");
    if (!what.host.empty()) finding.hosts = {what.host};
    result.findings.push_back(std::move(finding));
  }
  std::vector<double> rates;
  for (const auto& round : log.rounds) {
    if (round.busbw_GBps) rates.push_back(*round.busbw_GBps);
  }
  result.summary = fmt::format("{:.4g} s in {}, {}", log.seconds, with_count(log.rounds_measured, "round"),
                               with_count(log.events_seen, "event"));
  if (log.seconds > 0)
    result.summary += fmt::format("; collectives ran for {:.0f} % of the time", 100 * log.measured_s / log.seconds);
  if (!rates.empty()) result.summary += fmt::format("; bus bandwidth {:.4g} GB/s", median(std::move(rates)));
  if (const auto trend = trend_of(criteria, log)) {
    result.summary += "; " + trend->words;
    if (trend->is_slower)
      result.findings.push_back(
          {"all hosts together", {}, trend->words, "heat, and other jobs that have started on the hosts"});
  }
  if (!result.findings.empty()) result.outcome = Outcome::fail;
  return result;
}

}  // namespace ringmark::accept
