#include <algorithm>

#include <fmt/format.h>

#include "accept/stages/series.hpp"
#include "accept/stages/stages.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::accept {
namespace {

std::vector<std::string> rank_names(const Site& site, std::size_t ranks_per_host) {
  std::vector<std::string> names;
  for (const auto host : site.hosts) {
    for (std::size_t rank = 0; rank < ranks_per_host; ++rank)
      names.push_back(ranks_per_host == 1 ? site.host_name(host)
                                          : fmt::format("rank {} of {}", rank + 1, site.host_name(host)));
  }
  return names;
}

class Steps {
 public:
  explicit Steps(Site& site)
      : site_(site),
        measurement_(step_measurement(site.criteria)),
        names_(rank_names(site, measurement_.ranks_per_host)),
        computation_(names_, std::nullopt),
        whole_({"the step"}, site.criteria.step_ms ? std::optional(1 / *site.criteria.step_ms) : std::nullopt) {}

  StageResult run() {
    site_.cluster.measure_on(site_.hosts);
    while (result_.rounds < most_rounds) {
      const auto name = launch_name("step", result_.rounds + 1);
      const auto launch = site_.launch(name, measurement_);
      if (!launch.failure.empty()) return failed(site_, result_, launch, name, measurement_.ranks_per_host);
      if (!is_sound(launch)) return result_;
      const auto computation_us = site_.cluster.computation_us(name);
      if (computation_us.size() != names_.size() ||
          std::ranges::any_of(computation_us, [](double us) { return us <= 0; }))
        return result_.summary = with_words_of("computation times of some ranks are missing from the step", launch),
               result_;
      std::vector<double> rates;
      for (const double us : computation_us) rates.push_back(us_per_ms / us);
      computation_.add(rates);
      whole_.add({us_per_ms / *launch.rows.front().time_us_p50});
      ++result_.rounds;
      const bool ranks_are_decided = computation_.judge(rates_of_error()),
                 step_is = !has_expectation() || judge_whole();
      if ((ranks_are_decided && step_is) || (site_.is_over() && result_.rounds >= fewest_rounds)) break;
    }
    return judged();
  }

 private:
  static constexpr double us_per_ms = 1000;

  bool has_expectation() const { return site_.criteria.step_ms.has_value(); }
  ErrorRates rates_of_error() const {
    auto rates = site_.rates();
    if (has_expectation()) rates.false_alarm /= 2;
    return rates;
  }
  bool judge_whole() { return whole_.judge(rates_of_error()); }

  bool is_sound(const sweep::LaunchRows& launch) {
    if (launch.rows.empty() || !launch.rows.front().time_us_p50)
      return result_.summary = with_words_of("the step reported no time", launch), false;
    return is_as_asked(launch.rows.front(), "the step", result_);
  }

  StageResult judged() {
    const double typical_ms = 1 / computation_.expected(), step_ms = 1 / whole_.median_rate(0);
    result_.summary = fmt::format("step of {:.4g} ms on {}, including {:.4g} ms of computation per rank", step_ms,
                                  with_count(names_.size(), "rank"), typical_ms);
    for (const auto& [rank, ratio] : computation_.slow()) {
      const auto host = site_.hosts[rank / measurement_.ranks_per_host];
      result_.findings.push_back({names_[rank],
                                  {site_.host_name(host)},
                                  fmt::format("computes for {:.4g} ms in a step, {:.2f} times as long as the others",
                                              1 / computation_.median_rate(rank), 1 / ratio),
                                  "clock speed, power and heat limits, and other processes on it (ringmark-doctor, "
                                  "nvidia-smi -q -d PERFORMANCE)"});
    }
    result_.undecided = computation_.undecided();
    if (has_expectation()) {
      result_.summary += fmt::format(", expected {:.4g} ms", *site_.criteria.step_ms);
      for (const auto& slow : whole_.slow())
        result_.findings.push_back({"the step",
                                    {},
                                    fmt::format("takes {:.2f} times the expected time", 1 / slow.ratio),
                                    "ringmark-replay run --timeline, which shows what it waits for"});
      for (const auto& open : whole_.undecided()) result_.undecided.push_back(open);
    }
    result_.outcome = result_.by_findings();
    return result_;
  }

  Site& site_;
  StageResult result_{Stage::step, Outcome::undecided};
  Measurement measurement_;
  std::vector<std::string> names_;  ///< by rank
  Series computation_, whole_;
};

}  // namespace

StageResult run_step(Site& site) { return Steps(site).run(); }

}  // namespace ringmark::accept
