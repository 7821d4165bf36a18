#include "accept/judge/signs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "accept/judge/under_load.hpp"
#include "base/units.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

/// Losses that matter for the signs that the criteria do not cover: a response time twice the usual, a thousandth of
/// the bytes retransmitted, and a quarter of the rate under load, which depends on which paths are drawn. Hosts in a
/// box share cores, on which one of them may wait for others in every round: only ten times the usual response time
/// counts.
constexpr double loss_of_answers = 0.5, loss_of_answers_in_a_box = 0.9, loss_of_resent = 0.5,
                 resent_that_matters = 0.001, loss_under_load = 0.25;

constexpr double signs_judged = 4;

/// A share of retransmitted bytes as a rate, which judge() expects: 1 for none, 0.5 for a share that matters.
double as_rate(double resent_share) {
  constexpr double most = 10;
  return std::exp2(-std::min(resent_share / resent_that_matters, most));
}
double as_share(double rate) { return -std::log2(rate) * resent_that_matters; }

std::vector<Round> rounds_of(const std::vector<Scan>& scans, const std::function<double(const PairSigns&)>& value) {
  std::vector<Round> rounds;
  for (const auto& scan : scans) {
    Round round;
    for (const auto& pair : scan.pairs) round.push_back({pair.from, pair.to, value(pair)});
    rounds.push_back(std::move(round));
  }
  return rounds;
}

/// Values relative to the usual one of their scan: times and losses scatter so widely that the best tenth would mean
/// nothing. Empty if a scan has no value.
std::vector<Round> over_usual(std::vector<Round> rounds) {
  for (auto& round : rounds) {
    std::vector<double> values;
    for (const auto& pair : round) {
      if (pair.GBps > 0) values.push_back(pair.GBps);
    }
    if (values.empty()) return {};
    const double usual = median(std::move(values));
    for (auto& pair : round) pair.GBps /= usual;
  }
  return rounds;
}

/// True if most pairs of `part` belong to a culprit found by another sign: it is the same fault then.
bool is_known(const Part& part, const std::vector<SignedCulprit>& culprits) {
  return std::any_of(culprits.begin(), culprits.end(),
                     [&](const SignedCulprit& known) { return share_most(known.part.pairs, part.pairs); });
}

/// Load slows some samples, a slow link slows all of them, so the fastest sample belongs to the link.
double rate_of(const Record& row) {
  if (is_failure(row.status) || row.time_us_min.value_or(0) <= 0) return 0;
  return static_cast<double>(row.size_bytes) / *row.time_us_min / bytes_per_us_per_GBps;
}

/// Retransmitted bytes as a share of those sent during the measurement.
double resent_share_of(const Record& row) {
  constexpr double packet_bytes = 1448;
  const double sent = static_cast<double>(row.wire_bytes.value_or(row.size_bytes)) * static_cast<double>(row.samples);
  return sent > 0 ? static_cast<double>(row.retransmits.value_or(0)) * packet_bytes / sent : 0;
}

/// The host that is an end of all links, if it is the only one.
std::optional<std::size_t> common_end(const std::vector<std::pair<std::size_t, std::size_t>>& links) {
  std::optional<std::size_t> found;
  for (const auto host : {links.front().first, links.front().second}) {
    if (!std::all_of(links.begin(), links.end(),
                     [host](const auto& link) { return link.first == host || link.second == host; }))
      continue;
    if (found) return std::nullopt;
    found = host;
  }
  return found;
}

}  // namespace

std::vector<PairSigns> signs_of(const std::vector<Record>& rows, const std::vector<std::size_t>& hosts) {
  std::map<std::pair<std::size_t, std::size_t>, PairSigns> pairs;
  for (const auto& row : rows) {
    if (!row.link) continue;
    const auto from = hosts[static_cast<std::size_t>(row.link->source)],
               to = hosts[static_cast<std::size_t>(row.link->destination)];
    auto& pair = pairs.try_emplace({from, to}, PairSigns{from, to}).first->second;
    if (row.collective == LinkTest::bandwidth) {
      pair.GBps = rate_of(row);
      pair.resent_share = resent_share_of(row);
    } else if (!is_failure(row.status)) {
      pair.latency_us = row.time_us_min;
    }
    if (row.status > pair.worst) {
      pair.worst = row.status;
      pair.words = row.detail;
    }
  }
  std::vector<PairSigns> all;
  for (const auto& [ends, pair] : pairs) all.push_back(pair);
  return all;
}

Round rates_of(const std::vector<PairSigns>& pairs) {
  Round round;
  for (const auto& pair : pairs) round.push_back({pair.from, pair.to, pair.GBps});
  return round;
}

std::vector<Trouble> troubles_in(const std::vector<PairSigns>& measured) {
  std::map<Status, Trouble> troubles;
  for (const auto& pair : measured) {
    if (pair.worst == Status::ok) continue;
    auto& trouble = troubles.try_emplace(pair.worst, Trouble{pair.worst}).first->second;
    if (++trouble.times == 1) trouble.words = pair.words;
    const std::pair ends{pair.from, pair.to};
    if (std::find(trouble.links.begin(), trouble.links.end(), ends) == trouble.links.end())
      trouble.links.push_back(ends);
  }
  std::vector<Trouble> all;
  for (auto& [status, trouble] : troubles) {
    trouble.common_host = common_end(trouble.links);
    all.push_back(std::move(trouble));
  }
  return all;
}

std::string_view name(Sign sign) {
  switch (sign) {
    case Sign::rate:
      return "rate";
    case Sign::resent:
      return "resent";
    case Sign::answer:
      return "answer";
    case Sign::loaded:
      break;
  }
  return "loaded";
}

ScansVerdict judge_scans(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                         std::optional<double> expected_GBps, bool is_box) {
  ScansVerdict verdict;
  auto of_a_sign = rates;
  of_a_sign.false_alarm /= signs_judged;
  const auto rate =
      judge(fabric, rounds_of(scans, [](const auto& pair) { return pair.GBps; }), of_a_sign, expected_GBps);
  verdict.outcome = rate.outcome;
  verdict.undecided = rate.undecided;
  verdict.expected_GBps = rate.expected_GBps;
  verdict.scatter = rate.scatter;
  for (const auto& [part, ratio, share] : rate.culprits) verdict.culprits.push_back({Sign::rate, part, ratio, share});
  if (scans.size() < fewest_rounds || rate.expected_GBps <= 0) return verdict;

  const auto add = [&](Sign sign, const std::vector<Round>& rounds, double loss) {
    constexpr double usual = 1;
    of_a_sign.loss = loss;
    // Losses and response times vary between pairs, which would look as if some took a bad path.
    const auto found = judge(fabric, rounds, of_a_sign, usual, Blame::always);
    verdict.undecided.insert(verdict.undecided.end(), found.suspects.begin(), found.suspects.end());
    for (const auto& [part, ratio, share] : found.culprits) {
      if (!is_known(part, verdict.culprits)) verdict.culprits.push_back({sign, part, ratio, share});
    }
  };
  add(Sign::resent, over_usual(rounds_of(scans, [](const auto& pair) { return as_rate(pair.resent_share); })),
      loss_of_resent);
  add(Sign::answer,
      over_usual(rounds_of(scans, [](const auto& pair) { return pair.latency_us ? 1 / *pair.latency_us : 0; })),
      is_box ? loss_of_answers_in_a_box : loss_of_answers);
  of_a_sign.loss = loss_under_load;
  const auto under_load = judge_under_load(fabric, scans, of_a_sign, rate);
  for (const auto& culprit : under_load.culprits) {
    // Its pairs differ from those of the other signs, so only its name shows whether it is known.
    const bool is_named = std::any_of(verdict.culprits.begin(), verdict.culprits.end(),
                                      [&](const SignedCulprit& known) { return known.part.name == culprit.part.name; });
    if (!is_named) verdict.culprits.push_back(culprit);
  }
  verdict.undecided.insert(verdict.undecided.end(), under_load.suspects.begin(), under_load.suspects.end());
  std::sort(verdict.undecided.begin(), verdict.undecided.end());
  verdict.undecided.erase(std::unique(verdict.undecided.begin(), verdict.undecided.end()), verdict.undecided.end());
  verdict.outcome = !verdict.culprits.empty()    ? Outcome::fail
                    : !verdict.undecided.empty() ? Outcome::undecided
                                                 : Outcome::pass;
  return verdict;
}

std::string evidence(const SignedCulprit& culprit, double expected_GBps) {
  if (culprit.part.pairs.size() == 1 && culprit.sign == Sign::rate && culprit.ratio < 0.01)
    return fmt::format("no data passes ({:.4g} GB/s expected)", expected_GBps);
  std::string text;
  // Losses are capped at a factor of a thousand.
  constexpr double none_within = 0.002;
  switch (culprit.sign) {
    case Sign::rate:
      text = fmt::format("{:.0f} % of {:.4g} GB/s", 100 * culprit.ratio, expected_GBps);
      break;
    case Sign::resent:
      text = fmt::format("{:.2g} % of its bytes are retransmitted", 100 * as_share(culprit.ratio));
      break;
    case Sign::answer:
      text = culprit.ratio < none_within
                 ? fmt::format("no answer within {:.0f} times the usual time", 1 / none_within)
                 : fmt::format("an answer takes {:.1f} times as long as usual", 1 / culprit.ratio);
      break;
    case Sign::loaded:
      text = fmt::format("{:.0f} % of the others' rate while all hosts send at once", 100 * culprit.ratio);
      break;
  }
  if (culprit.share < 1)
    return fmt::format("{}, for {:.0f} % of the connections, different ones each time: one of several paths", text,
                       100 * culprit.share);
  const auto links = culprit.part.pairs.size();
  return links > 1 ? fmt::format("{} (median of {} links)", text, links) : text;
}

}  // namespace ringmark::accept
