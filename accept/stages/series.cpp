#include "accept/stages/series.hpp"

#include "results/statistics/statistics.hpp"

namespace ringmark::accept {

void Series::add(const std::vector<double>& rates) {
  Round round;
  for (std::size_t subject = 0; subject < rates.size(); ++subject) round.push_back({subject, subject, rates[subject]});
  rounds_.push_back(std::move(round));
}

bool Series::judge(const ErrorRates& rates) {
  if (rounds_.size() < fewest_rounds) return false;
  verdict_ = accept::judge(fabric_, rounds_, rates, expected_);
  return verdict_.outcome != Outcome::undecided && verdict_.undecided.empty();
}

double Series::median_rate(std::size_t subject) const {
  std::vector<double> rates;
  for (const auto& round : rounds_) rates.push_back(round[subject].GBps);
  return median(std::move(rates));
}

std::vector<SlowSubject> Series::slow() const {
  std::vector<SlowSubject> found;
  for (const auto& culprit : verdict_.culprits)
    found.push_back({rounds_.front()[culprit.part.pairs.front()].from, culprit.ratio});
  return found;
}

}  // namespace ringmark::accept
