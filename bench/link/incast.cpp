#include "bench/link/incast.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {
namespace {

/// Describes the incasts of one size. Destinations that were also measured with a single sender are compared with that.
std::string words_on(const std::vector<const Incast*>& some, const std::vector<Received>& alone,
                     const std::vector<std::string>& hosts) {
  std::vector<double> together;
  double least = some.front()->least_GBps, most = some.front()->most_GBps;
  std::size_t most_senders = 0;
  for (const auto* each : some) {
    together.push_back(each->received.GBps);
    least = std::min(least, each->least_GBps);
    most = std::max(most, each->most_GBps);
    most_senders = std::max(most_senders, each->rows.size());
  }
  const auto& worst = (*std::min_element(some.begin(), some.end(), [](const auto* a, const auto* b) {
                        return a->received.GBps < b->received.GBps;
                      }))->received;
  auto text = fmt::format(
      "incast of {} to one: {} destinations receive a median of {:.4g} GB/s, at worst {} with {:.4g}; a sender gets "
      "{:.4g} to {:.4g} ({} messages)\n",
      most_senders, some.size(), median(together), on_host(worst.destination, hosts), worst.GBps, least, most,
      format_size(worst.size_bytes));
  constexpr double least_share = 0.75;
  std::vector<double> shares;
  std::string collapsed;
  for (const auto& one : alone) {
    const auto found = std::find_if(some.begin(), some.end(), [&](const auto* each) {
      return each->received.destination == one.destination && each->received.size_bytes == one.size_bytes;
    });
    if (found == some.end() || one.GBps <= 0) continue;
    const auto& all = (*found)->received;
    shares.push_back(all.GBps / one.GBps);
    if (shares.back() < least_share)
      collapsed += fmt::format("  {} receives {:.4g} GB/s from {} senders at once, {:.4g} from one alone\n",
                               on_host(all.destination, hosts), all.GBps, (*found)->rows.size(), one.GBps);
  }
  if (shares.empty()) return text;
  text += fmt::format("{:.0f} % of a single sender's rate, median of {} destinations\n", 100 * median(shares),
                      shares.size());
  return text + collapsed;
}

}  // namespace

std::vector<Incast> incasts_in(const std::vector<Received>& received, const std::vector<Record>& rows) {
  std::vector<Incast> incasts;
  for (const auto& each : received) {
    Incast incast{each, {}, 0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& row = rows[i];
      if (row.collective != LinkTest::bandwidth || row.size_bytes != each.size_bytes ||
          row.link.value().destination != each.destination || !row.algbw_GBps)
        continue;
      const double GBps = *row.algbw_GBps;
      incast.least_GBps = incast.rows.empty() ? GBps : std::min(incast.least_GBps, GBps);
      incast.most_GBps = std::max(incast.most_GBps, GBps);
      incast.rows.push_back(i);
    }
    if (!incast.rows.empty()) incasts.push_back(std::move(incast));
  }
  return incasts;
}

std::vector<std::size_t> choose_senders(const std::vector<Incast>& incasts, std::size_t most) {
  auto sorted = incasts;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.received.GBps < b.received.GBps; });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) rows.push_back(sorted[i].rows.front());
  return rows;
}

std::string in_words(const std::vector<Incast>& incasts, const std::vector<Received>& alone,
                     const std::vector<std::string>& hosts) {
  std::map<std::uint64_t, std::vector<const Incast*>> by_size;
  for (const auto& each : incasts) by_size[each.received.size_bytes].push_back(&each);
  std::string text;
  for (const auto& [size, some] : by_size) text += words_on(some, alone, hosts);
  return text;
}

}  // namespace ringmark
